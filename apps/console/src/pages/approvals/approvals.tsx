// What waits for a human, each change with what it would do, and what was decided lately.
import type { Change, ServiceError } from '@gatehouse/contracts'
import { toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { useApi } from '../../unit/unit.ts'
import { ChangeCard } from './change-card.tsx'

export const Approvals = () => {
  const api = useApi()
  const pending = useLive((signal) => api.changes.pending({}, { signal }), { wants: ({ changeID }) => changeID !== undefined })
  const history = useLive((signal) => api.changes.history({ limit: 20 }, { signal }), { wants: ({ changeID }) => changeID !== undefined })
  const [by, setBy] = useState('')
  const [problem, setProblem] = useState<ServiceError>()

  const decide = async (change: Change, outcome: 'approve' | 'reject', reason: string): Promise<void> => {
    try {
      await api.changes.decide(change.id, {
        outcome,
        decidedBy: `console:${by.trim() === '' ? 'operator' : by.trim()}`,
        digest: change.digest,
        ...(reason === '' ? {} : { reason }),
      })
      setProblem(undefined)
    } catch (error) {
      setProblem(toServiceError(error))
    }
    pending.refresh()
    history.refresh()
  }

  const waiting = pending.data?.items ?? []
  return (
    <>
      <PageHead title="Approvals" />
      <label class="inline">
        Your name, for the journal
        <input value={by} placeholder="operator" maxLength={100} onInput={(event) => setBy(event.currentTarget.value)} />
      </label>
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div aria-live="polite">
        {pending.data === undefined && <p>Loading …</p>}
        {pending.data !== undefined && waiting.length === 0 && (
          <p class="empty">Nothing waits. A change appears here when an operator or an agent asks for one.</p>
        )}
        {waiting.map((change) => (
          <ChangeCard key={change.id} change={change} decide={decide} />
        ))}
      </div>
      <Decided changes={history.data?.items ?? []} />
    </>
  )
}

const Decided = ({ changes }: { readonly changes: readonly Change[] }) => (
  <section>
    <h2>Lately</h2>
    {changes.length === 0 ? (
      <p class="empty">No change was decided yet.</p>
    ) : (
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">What</th>
              <th scope="col">State</th>
              <th scope="col">Decided by</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={change.id}>
                <td>
                  <code>{change.id}</code>
                </td>
                <td>
                  <Untrusted text={change.summary} />
                </td>
                <td>{change.state}</td>
                <td>
                  <Untrusted text={change.decisions.at(-1)?.by ?? '–'} />
                </td>
                <td>
                  <When at={change.decisions.at(-1)?.at ?? change.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
