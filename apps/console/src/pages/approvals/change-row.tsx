// One change in a list: the sentence, the risk, who asked and since when it waits.
import { type Change, visible } from '@gatehouse/contracts'
import { wallMs } from '../../parts/clock.ts'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { Link } from '../../router/link.tsx'
import { toneOf, wordsOf } from '../../parts/change-state.ts'

const day = 86_400_000

const Waiting = ({ change: { createdAt, expiresAt, approvals } }: { readonly change: Change }) => (
  <>
    {wallMs() - Date.parse(createdAt) > day && <span class="tag warn">waits for more than a day</span>}
    {expiresAt !== undefined && Date.parse(expiresAt) - wallMs() < day && (
      <span class="tag warn">
        ends unanswered <When at={expiresAt} />
      </span>
    )}
    {approvals.needed > 1 && (
      <span class="tag info">
        {approvals.given} of {approvals.needed} approvals
      </span>
    )}
  </>
)

export const ChangeRow = ({ change }: { readonly change: Change }) => {
  const { id, summary, risk, kind, agentGroupID, requestedBy, createdAt, state, decisions } = change
  const last = decisions.at(-1)
  return (
    <li data-row class={`row ${risk}`}>
      <div class="row-head">
        <Link to={{ page: 'changes', rest: [id] }} class="row-title">
          {visible(summary)}
        </Link>
        <span class={`risk ${risk}`}>{risk} risk</span>
      </div>
      <p class="row-facts">
        <code>{kind}</code> for <code>{agentGroupID}</code>, asked for by <Untrusted text={requestedBy} />, <When at={createdAt} />
        {state === 'held' ? (
          <Waiting change={change} />
        ) : (
          <>
            {' '}
            <span class={`tag ${toneOf[state]}`}>{wordsOf[state]}</span>
            {last !== undefined && (
              <>
                {' by '}
                <Untrusted text={last.by} />, <When at={last.at} />
              </>
            )}
          </>
        )}
        {change.afterToolOutput === true && <span class="tag warn">after output of a tool</span>}
      </p>
    </li>
  )
}
