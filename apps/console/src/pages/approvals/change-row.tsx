// One change in the list: risk and title, and below them who requested it, for which group, and why.
import { type Change, visible } from '@gatehouse/contracts'
import { wallMs } from '../../clock.ts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Untrusted } from '../../components/elements.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RiskMark } from '../../components/risk.tsx'
import { StateTag } from '../../components/state-tag.tsx'
import { Link } from '../../router/link.tsx'
import type { Target } from '../../router/router.ts'

const day = 86_400_000

const Urgency = ({ change: { createdAt, expiresAt, approvals } }: { readonly change: Change }) => (
  <>
    {expiresAt !== undefined && Date.parse(expiresAt) - wallMs() < day && (
      <span class="tag warn">
        expires <RelativeTime at={expiresAt} />
      </span>
    )}
    {wallMs() - Date.parse(createdAt) > day && <span class="tag warn">pending for more than a day</span>}
    {approvals.needed > 1 && (
      <span class="tag info">
        {approvals.given} of {approvals.needed} approvals
      </span>
    )}
  </>
)

interface ChangeRowProps {
  readonly change: Change
  readonly to: Target
  readonly isOpen: boolean
  /** Undefined where nothing is selected. */
  readonly select: (() => void) | undefined
  readonly isSelected: boolean
}

export const ChangeRow = ({ change, to, isOpen, select, isSelected }: ChangeRowProps) => {
  const { id, risk, agentGroupID, requestedBy, createdAt, state, decisions, reason } = change
  const title = visible(changeTitle(change))
  const last = decisions.at(-1)
  return (
    <li data-row data-change={id} class={`change-row${isOpen ? ' open' : ''}${isSelected ? ' selected' : ''}`}>
      <div class="change-main">
        <div class="change-head">
          <RiskMark risk={risk} />
          <Link to={to} class="row-title" current={isOpen}>
            {title}
          </Link>
        </div>
        <p class="change-facts">
          <code>{agentGroupID}</code> · <Untrusted text={requestedBy} /> · <RelativeTime at={createdAt} />
          {state !== 'held' && (
            <>
              {' '}
              <StateTag state={state} />
              {last !== undefined && (
                <>
                  {' by '}
                  <Untrusted text={last.by} />, <RelativeTime at={last.at} />
                </>
              )}
            </>
          )}
          {state === 'held' && <Urgency change={change} />}
          {change.afterToolOutput === true && <span class="tag warn">requested after tool output</span>}
          {reason !== undefined && (
            <>
              {' '}
              · <Untrusted text={reason} />
            </>
          )}
        </p>
      </div>
      {select !== undefined && <input type="checkbox" aria-label={`Select: ${title}`} checked={isSelected} onChange={select} />}
    </li>
  )
}
