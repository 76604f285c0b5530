// The panel of a change: what is still needed for a decision, the form for it, and the outcome once it is decided.
import { type ChangeView, isRetryable, kinds, visible } from '@gatehouse/contracts'
import { stateLabel, stateTone } from '../../components/change-state.ts'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useAction } from '../../components/use-action.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { go } from '../../router/router.ts'
import { useApi, useMissingRole, useSignature, useUnit } from '../../unit/unit.ts'
import { Decide } from './decide.tsx'
import { approversOf } from './approval-rights.ts'
import type { Seen } from './seen.ts'

const isRevertible = (change: ChangeView): boolean => change.state === 'applied' && kinds[change.kind].revertible

const ChangeOutcome = ({ change, refresh }: { readonly change: ChangeView; readonly refresh: () => void }) => {
  const api = useApi()
  const act = useAction()
  const { label } = useSignature()
  const mayAsk = useMissingRole('requester') === undefined
  const mayRetry = useMissingRole('approver') === undefined
  const retry = async (): Promise<void> => {
    await act.run(() => api.changes.retry(change.id, { by: label }))
    refresh()
  }
  const undo = (): Promise<boolean> =>
    act.run(async () => {
      const { id } = await api.changes.revert(change.id, { requestedBy: label })
      notify('The change that undoes it waits for a decision.')
      go({ page: 'changes', rest: [id] })
    })
  return (
    <>
      <p role="status">
        <span class={`tag ${stateTone[change.state]}`}>{stateLabel[change.state]}</span>
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {isRetryable(change) && mayRetry && (
        <button type="button" disabled={act.busy} onClick={() => void retry()}>
          Try to apply it again
        </button>
      )}
      {isRevertible(change) && mayAsk && (
        <p>
          <button type="button" class="quiet small" disabled={act.busy} onClick={() => void undo()}>
            Ask to undo it
          </button>
        </p>
      )}
    </>
  )
}

/** The change after this one; after the last, the first. */
const findNext = <C extends { readonly id: string }>(items: readonly C[], id: string): C | undefined =>
  items.find((item) => item.id > id) ?? items.find((item) => item.id !== id)

const Next = ({ change }: { readonly change: ChangeView }) => {
  const api = useApi()
  const waiting = useLive((signal) => api.changes.pending({ limit: 50 }, { signal }), {
    of: [change.id],
    wants: ({ changeID }) => changeID !== undefined,
  })
  const next = findNext(waiting.data?.items ?? [], change.id)
  useShortcut('n', 'Next change that waits', () => next !== undefined && go({ page: 'changes', rest: [next.id] }))
  if (waiting.data === undefined) return null
  return (
    <p class="next">
      {next === undefined ? (
        <span class="soft">Nothing else waits.</span>
      ) : (
        <>
          <span class="soft">Next: </span>
          <Link to={{ page: 'changes', rest: [next.id] }}>{visible(next.summary)}</Link>
        </>
      )}
    </p>
  )
}

interface DecisionPanelProps {
  readonly change: ChangeView
  readonly seen: Seen
  readonly refresh: () => void
}

const Needed = ({ change }: { readonly change: ChangeView }) => {
  const { approvals } = change
  const names = approversOf(change)
  if (approvals.needed < 2) return <p class="soft">One approval is needed.</p>
  return (
    <p>
      <strong>
        {approvals.given} of {approvals.needed} approvals
      </strong>
      {approvals.given > 0 && names.size <= approvals.given && `, by ${[...names].join(', ')}`}. They must come from different people, none
      of whom asked for it.
    </p>
  )
}

export const DecisionPanel = ({ change, seen, refresh }: DecisionPanelProps) => {
  const { status } = useUnit()
  const isHeld = change.state === 'held'
  return (
    <section class="desk card" aria-labelledby="decision">
      <h2 id="decision">{isHeld ? 'Your decision' : 'How it ended'}</h2>
      {isHeld ? (
        <>
          <Needed change={change} />
          <Decide change={change} seen={seen} refresh={refresh} status={status} />
        </>
      ) : (
        <ChangeOutcome change={change} refresh={refresh} />
      )}
      <Next change={change} />
    </section>
  )
}
