// The form to approve or reject. It sends the digest of what was read; a high risk is typed out before it is approved.
import { type ChangeView, isServiceError, type Status } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Untrusted } from '../../components/elements.tsx'
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
    if (done) notify(outcome === 'approve' ? 'Approved.' : 'Rejected. Nothing changed.')
    refresh()
  }
  return { act, name, setName: set, decide }
}

const TypedWord = ({ word, typed, set }: { readonly word: string; readonly typed: string; readonly set: (text: string) => void }) => (
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
        Your decision was not taken: the change is no longer what you saw. The page shows it as it is now. <code>{act.problem.code}</code>
      </p>
    )
  return <ProblemNote problem={act.problem} />
}

const Reason = ({ reason, set }: { readonly reason: string; readonly set: (text: string) => void }) => (
  <label class="field">
    Reason (optional)
    <textarea rows={3} value={reason} maxLength={4096} data-reason onInput={(event) => set(event.currentTarget.value)} />
  </label>
)

const Name = ({ name, set, principal }: { readonly name: string; readonly set: (name: string) => void; readonly principal: string }) => (
  <details class="signature">
    <summary>
      Recorded as <Untrusted text={principal} />
      {name.trim() !== '' && name.trim() !== principal && (
        <>
          , label <Untrusted text={name} />
        </>
      )}
    </summary>
    <label class="field">
      Your name, for the audit log
      <input value={name} placeholder={principal} maxLength={100} onInput={(event) => set(event.currentTarget.value)} />
    </label>
    <p class="hint">The audit log records your token, this name, the reason, the time and the digest of what you saw.</p>
  </details>
)

interface AskProps {
  readonly outcome: Outcome
  readonly title: string
  readonly form: ComponentChildren
  readonly isReady: boolean
  readonly decide: (outcome: Outcome) => Promise<void>
  readonly close: () => void
}

/** The confirmation of a decision that was started by a key, or from the bar at the foot of a narrow page. */
const AskDecision = ({ outcome, title, form, isReady, decide, close }: AskProps) => (
  <Dialog title={outcome === 'approve' ? 'Approve this change?' : 'Reject this change?'} close={close}>
    <p>
      <Untrusted text={title} />
    </p>
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        close()
        void decide(outcome)
      }}
    >
      {form}
      <button type="submit" class={outcome === 'reject' ? 'danger' : ''} disabled={!isReady}>
        {outcome === 'approve' ? 'Confirm approval' : 'Confirm rejection'}
      </button>
    </form>
  </Dialog>
)

interface BarProps {
  readonly isBusy: boolean
  readonly mayApprove: boolean
  readonly ask: (outcome: Outcome) => void
}

/** At the foot of a narrow page. */
const DecisionBar = ({ isBusy, mayApprove, ask }: BarProps) => (
  <div class="decision-bar">
    <button type="button" class="danger" disabled={isBusy} onClick={() => ask('reject')}>
      Reject …
    </button>
    <button type="button" disabled={isBusy || !mayApprove} onClick={() => ask('approve')}>
      Approve …
    </button>
  </div>
)

/** Why the reader may not approve now; undefined where they may. */
const useObstacle = ({ change, seen, status }: DecideProps): string | undefined => {
  const own = whyNotApprove(change, status)
  return seen.moved ? 'Read the new difference first.' : own
}

export const Decide = (props: DecideProps) => {
  const { change, status } = props
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [asks, setAsks] = useState<Outcome>()
  const { act, name, setName, decide } = useDecision(props, reason)
  const missing = useMissingRole('approver')
  const obstacle = useObstacle(props)
  const word = change.agentGroupID
  const isHigh = change.risk === 'high'
  useEffect(() => setTyped(''), [change.digest])
  const mayDecide = missing === undefined
  useShortcut('a', 'Approve the change', () => mayDecide && obstacle === undefined && setAsks('approve'))
  useShortcut('r', 'Reject the change', () => mayDecide && setAsks('reject'))
  useShortcut('c', 'Write a reason', () => document.querySelector<HTMLElement>('.desk [data-reason]')?.focus())

  if (missing !== undefined) return <p class="note warn">{missing} You can read everything here, and decide nothing.</p>
  const mayApprove = obstacle === undefined && (!isHigh || typed.trim() === word)
  const typedWord = isHigh && obstacle === undefined && <TypedWord word={word} typed={typed} set={setTyped} />
  return (
    <>
      <form class="stack" onSubmit={(event) => event.preventDefault()}>
        <Problem act={act} />
        {obstacle !== undefined && <p class="note warn">{obstacle}</p>}
        <Reason reason={reason} set={setReason} />
        {typedWord}
        <div class="verdict">
          <button type="button" class="danger" disabled={act.busy} onClick={() => void decide('reject')}>
            Reject
          </button>
          <button type="button" disabled={act.busy || !mayApprove} onClick={() => void decide('approve')}>
            Approve exactly this
          </button>
        </div>
        <Name name={name} set={setName} principal={status?.principal.name ?? 'operator'} />
      </form>
      <DecisionBar isBusy={act.busy} mayApprove={obstacle === undefined} ask={setAsks} />
      {asks !== undefined && (
        <AskDecision
          outcome={asks}
          title={changeTitle(change)}
          isReady={!act.busy && (asks === 'reject' || mayApprove)}
          decide={decide}
          close={() => setAsks(undefined)}
          form={
            <>
              <Reason reason={reason} set={setReason} />
              {asks === 'approve' && typedWord}
            </>
          }
        />
      )}
    </>
  )
}
