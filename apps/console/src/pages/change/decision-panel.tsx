// The panel of a change: what is still needed for a decision, the form for it, and the outcome once it is decided.
import { type ChangeView, isRetryable, visible } from '@gatehouse/contracts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { StateTag } from '../../components/state-tag.tsx'
import { useAction } from '../../components/use-action.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { go, type Target, usePlace } from '../../router/router.ts'
import { useApi, useMissingRole, useSignature, useUnit } from '../../unit/unit.ts'
import { Decide } from './decide.tsx'
import { approversOf } from './approval-rights.ts'
import type { Seen } from './seen.ts'
import { isRevertible, undoTexts } from './undo.ts'

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
      notify('The revert is pending.')
      go({ page: 'changes', rest: [id] })
    })
  return (
    <>
      <p role="status">
        <StateTag state={change.state} />
      </p>
      {change.state === 'applied' && <p class="soft">{undoTexts[change.kind]}</p>}
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {isRetryable(change) && mayRetry && (
        <button type="button" disabled={act.busy} onClick={() => void retry()}>
          Apply again
        </button>
      )}
      {isRevertible(change) && mayAsk && (
        <p>
          <button type="button" class="quiet small" disabled={act.busy} onClick={() => void undo()}>
            Request revert
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
  const pending = useLive((signal) => api.changes.pending({ limit: 50 }, { signal }), {
    of: [change.id],
    wants: ({ changeID }) => changeID !== undefined,
  })
  const next = findNext(pending.data?.items ?? [], change.id)
  const { page, query } = usePlace()
  const to = (id: string): Target => (page === 'approvals' ? { page, query: { ...query, open: id } } : { page: 'changes', rest: [id] })
  useShortcut('n', 'Next pending change', () => next !== undefined && go(to(next.id)))
  if (pending.data === undefined) return null
  return (
    <p class="next">
      {next === undefined ? (
        <span class="soft">No other change is pending.</span>
      ) : (
        <>
          <span class="soft">Next: </span>
          <RiskMark risk={next.risk} /> <Link to={to(next.id)}>{visible(changeTitle(next))}</Link>
        </>
      )}
    </p>
  )
}

interface DecisionPanelProps {
  readonly change: ChangeView
  readonly seen: Seen
  /** Tokens of other people that may approve it. */
  readonly approvers: readonly string[]
  readonly refresh: () => void
}

const Needed = ({ change }: { readonly change: ChangeView }) => {
  const { needed, given } = change.approvals
  const names = approversOf(change)
  if (needed < 2) return null
  return (
    <p>
      <strong>
        {given} of {needed} approvals
      </strong>
      {given > 0 && names.size <= given && `, by ${[...names].join(', ')}`}. They must come from different people, none of whom requested
      it.
    </p>
  )
}

const shownApprovers = 6

/** Who else may decide, what happens without a decision, what is recorded, and how the change is undone. */
const Consequences = ({ change, approvers }: Pick<DecisionPanelProps, 'change' | 'approvers'>) => {
  const me = useUnit().status?.principal.name
  const others = approvers.filter((name) => name !== me)
  return (
    <dl class="consequences">
      <dt>Others who can decide</dt>
      <dd>
        {others.length === 0
          ? 'only the admin token'
          : `${others.slice(0, shownApprovers).join(', ')}${others.length > shownApprovers ? ` and ${others.length - shownApprovers} more` : ''}`}
      </dd>
      <dt>Without a decision</dt>
      <dd>
        {change.expiresAt === undefined ? (
          'it stays pending, and nothing changes'
        ) : (
          <>
            it expires <RelativeTime at={change.expiresAt} />, and nothing changes
          </>
        )}
      </dd>
      <dt>Once approved</dt>
      <dd>It is applied at once. {undoTexts[change.kind]}</dd>
    </dl>
  )
}

const Shortcuts = () => (
  <p class="hint keys-line">
    <kbd>a</kbd> approve <kbd>r</kbd> reject <kbd>c</kbd> reason <kbd>n</kbd> next
  </p>
)

export const DecisionPanel = ({ change, seen, approvers, refresh }: DecisionPanelProps) => {
  const { status } = useUnit()
  const isHeld = change.state === 'held'
  return (
    <section class="desk card" aria-labelledby="decision">
      <h2 id="decision">{isHeld ? 'Decision' : 'Outcome'}</h2>
      {isHeld ? (
        <>
          <Needed change={change} />
          <Decide change={change} seen={seen} refresh={refresh} status={status} />
          <Consequences change={change} approvers={approvers} />
        </>
      ) : (
        <ChangeOutcome change={change} refresh={refresh} />
      )}
      <Next change={change} />
      {isHeld && <Shortcuts />}
    </section>
  )
}
