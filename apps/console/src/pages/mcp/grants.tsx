// Who may use a server, on which terms, and what has moved since that was approved.
import type { GrantView } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { counted, formatNumber } from '../../components/units.ts'
import { useSubmit } from '../../components/use-action.ts'
import { Link } from '../../router/link.tsx'
import { useMissingRole } from '../../unit/unit.ts'
import { driftsOf, useGrants } from './catalog.ts'

const pinned = {
  approval: 'as the approver saw them',
  'first-listing': 'as they were first listed after the approval',
  none: 'not yet: at the first listing',
} as const

const Terms = ({ grant }: { readonly grant: GrantView }) => (
  <dl class="terms">
    <div>
      <dt>Tools</dt>
      <dd>
        {grant.tools.length === 0 ? (
          <strong>every tool</strong>
        ) : (
          <code>
            <Untrusted text={grant.tools.join(', ')} />
          </code>
        )}
      </dd>
    </div>
    <div>
      <dt>Calls</dt>
      <dd>
        {formatNumber(grant.calls)}
        {grant.maxCalls !== undefined && ` of ${formatNumber(grant.maxCalls)}`}
      </dd>
    </div>
    <div>
      <dt>Expires</dt>
      <dd>{grant.expiresAt === undefined ? 'never' : <RelativeTime at={grant.expiresAt} />}</dd>
    </div>
    <div>
      <dt>Approved</dt>
      <dd>
        <Link to={{ page: 'changes', rest: [grant.changeID] }}>
          <RelativeTime at={grant.grantedAt} />
        </Link>
      </dd>
    </div>
    <div>
      <dt>Pinned</dt>
      <dd>
        {counted(Object.keys(grant.pins).length, 'definition')}, {pinned[grant.pinned]}
      </dd>
    </div>
  </dl>
)

const Grant = ({ grant }: { readonly grant: GrantView }) => {
  const asks = useSubmit()
  const mayAsk = useMissingRole('requester') === undefined
  const drifts = driftsOf(grant)
  const { agentGroupID } = grant
  return (
    <li data-row class="row">
      <div class="row-head">
        <Link to={{ page: 'agents', rest: [agentGroupID] }} class="row-title">
          {agentGroupID}
        </Link>
        <span class={`tag ${grant.state === 'active' && drifts.length === 0 ? 'good' : 'warn'}`}>{grant.state}</span>
      </div>
      {drifts.map((drift) => (
        <p key={drift} class="note warn">
          <Untrusted text={drift} />
        </p>
      ))}
      <Terms grant={grant} />
      {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
      {mayAsk && grant.state !== 'revoked' && (
        <p class="actions">
          <button
            type="button"
            class="quiet small"
            disabled={asks.busy}
            onClick={() => void asks.submit({ kind: 'mcp_revoke', agentGroupID, after: { server: grant.server } })}
          >
            Request revocation
          </button>
        </p>
      )}
    </li>
  )
}

export const Grants = ({ server }: { readonly server: string }) => {
  const grants = useGrants()
  const own = (grants.data?.items ?? []).filter((grant) => grant.server === server && grant.state !== 'revoked')
  return (
    <section aria-labelledby="grants">
      <h2 id="grants">Grants</h2>
      <ListFrame live={grants} count={own.length} empty={<p>No group has a grant. Request access; a person has to approve it.</p>}>
        <ul class="rows" aria-label={`Grants of ${server}`}>
          {own.map((grant) => (
            <Grant key={grant.changeID + grant.agentGroupID} grant={grant} />
          ))}
        </ul>
      </ListFrame>
    </section>
  )
}
