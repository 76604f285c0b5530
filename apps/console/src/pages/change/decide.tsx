// The form to approve or reject. It sends the digest of what was read; a high risk is typed out before it is approved.
import { type ChangeView, isServiceError, type Status } from '@gatehouse/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useAction } from '../../components/use-action.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useApi, useMissingRole, useSignature } from '../../unit/unit.ts'
import { whyNotApprove } from './approval-rights.ts'
import type { Seen } from './seen.ts'

interface DecideProps {
  readonly change: ChangeView
  readonly seen: Seen
  readonly refresh: () => void
  readonly status: Status | undefined
}

type Outcome = 'approve' | 'reject'

/** Errors that are resolved by showing the change as it is now. */
const overtaken: readonly string[] = ['change-stale', 'digest-mismatch', 'change-already-decided']

const useDecision = ({ change, refresh }: Pick<DecideProps, 'change' | 'refresh'>, reason: string) => {
  const api = useApi()
  const act = useAction()
  const { name, set, label } = useSignature()
  const decide = async (outcome: Outcome): Promise<void> => {
    const done = await act.run(() =>
      api.changes.decide(change.id, {
        outcome,
        decidedBy: label,
        digest: change.digest,
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }),
    )
    if (done) notify(outcome === 'approve' ? 'Approved.' : 'Rejected. Nothing is different.')
    refresh()
  }
  return { act, name, setName: set, decide }
}

const Confirm = ({ word, typed, set }: { readonly word: string; readonly typed: string; readonly set: (text: string) => void }) => (
  <label class="field">
    <span>
      To approve this high risk, type <code>{word}</code>
    </span>
    <input value={typed} autocomplete="off" spellcheck={false} maxLength={128} onInput={(event) => set(event.currentTarget.value)} />
  </label>
)

const Problem = ({ act }: { readonly act: ReturnType<typeof useAction> }) => {
  if (act.problem === undefined) return null
  if (isServiceError(act.problem) && overtaken.includes(act.problem.code))
    return (
      <p class="note warn" role="alert">
        Your decision was not taken: the change is not what you saw any more. The page shows it as it is now.{' '}
        <code>{act.problem.code}</code>
      </p>
    )
  return <ProblemNote problem={act.problem} />
}

export const Decide = ({ change, seen, refresh, status }: DecideProps) => {
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const { act, name, setName, decide } = useDecision({ change, refresh }, reason)
  const lacks = useMissingRole('approver')
  const own = whyNotApprove(change, status)
  const word = change.agentGroupID
  const isHigh = change.risk === 'high'
  useEffect(() => setTyped(''), [change.digest])
  useShortcut('r', 'Go to the reason for a decision', () => field.current?.focus())

  if (lacks !== undefined) return <p class="note warn">{lacks} You can read everything here, and decide nothing.</p>
  const mayApprove = own === undefined && !seen.moved && (!isHigh || typed.trim() === word)
  return (
    <form class="stack" onSubmit={(event) => event.preventDefault()}>
      <Problem act={act} />
      {own !== undefined && <p class="note warn">{own}</p>}
      <label class="field">
        Reason, for the journal
        <textarea ref={field} rows={3} value={reason} maxLength={4096} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <label class="field">
        Your name, for the journal
        <input
          value={name}
          placeholder={status?.principal.name ?? 'operator'}
          maxLength={100}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      {isHigh && own === undefined && <Confirm word={word} typed={typed} set={setTyped} />}
      <p class="actions">
        <button type="button" class="quiet" disabled={act.busy} onClick={() => void decide('reject')}>
          Reject
        </button>
        <button type="button" disabled={act.busy || !mayApprove} onClick={() => void decide('approve')}>
          Approve exactly this
        </button>
      </p>
      {seen.moved && <p class="hint">Read the new difference above first.</p>}
    </form>
  )
}
