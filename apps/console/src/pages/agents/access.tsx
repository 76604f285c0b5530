// The tool servers and the channel addresses of an agent group.
import type { GrantList, GrantView, Wired } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatNumber } from '../../components/units.ts'
import { useSubmit } from '../../components/use-action.ts'
import { type Live, useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useMissingRole } from '../../unit/unit.ts'

const stateOf = (grant: GrantView): string => {
  if (grant.expired) return 'expired'
  if (grant.exhausted) return 'used up'
  return grant.state
}

export const useGroupGrants = (id: string): Live<GrantList> => {
  const api = useApi()
  return useLive((signal) => api.grants.list({ agentGroupID: id }, { signal }), {
    of: [id],
    wants: ({ agentGroupID }) => agentGroupID === id,
  })
}

export const GroupGrants = ({ live }: { readonly live: Live<GrantList> }) => {
  const items = live.data?.items ?? []
  return (
    <section class="card panel" aria-labelledby="group-grants">
      <h2 id="group-grants">Tool servers</h2>
      <ListFrame
        live={live}
        count={items.length}
        empty={
          <p>
            No tool server is granted. Request access on <Link to={{ page: 'mcp' }}>MCP</Link>.
          </p>
        }
      >
        <ul class="panel-list">
          {items.map((grant) => (
            <li key={`${grant.server} ${grant.changeID}`} class="line-item">
              <div>
                <Link to={{ page: 'mcp', rest: [grant.server] }} class="row-title">
                  {grant.server}
                </Link>{' '}
                <span class={`tag ${stateOf(grant) === 'active' ? 'good' : 'warn'}`}>{stateOf(grant)}</span>
                <div class="hint">
                  <Untrusted text={grant.tools.length === 0 ? 'every tool' : grant.tools.join(', ')} />
                </div>
              </div>
              <div class="hint">
                {formatNumber(grant.calls)}
                {grant.maxCalls !== undefined && ` of ${formatNumber(grant.maxCalls)}`} {grant.calls === 1 ? 'call' : 'calls'} ·{' '}
                <Link to={{ page: 'changes', rest: [grant.changeID] }}>granted</Link> <RelativeTime at={grant.grantedAt} />
              </div>
            </li>
          ))}
        </ul>
      </ListFrame>
    </section>
  )
}

const Address = ({ wired }: { readonly wired: Wired }) => {
  const asks = useSubmit()
  const lacks = useMissingRole('requester')
  const { channel, address, agentGroupID } = wired
  const end = () => asks.submit({ kind: 'wiring', agentGroupID, after: { remove: { channel, address } } })
  return (
    <li>
      <strong>
        {channel} <Untrusted text={address} />
      </strong>
      : {wired.engage}
      {wired.pattern !== undefined && (
        <>
          {' '}
          <Untrusted text={wired.pattern} />
        </>
      )}
      , a session for each {wired.session}{' '}
      {lacks === undefined && (
        <button type="button" class="quiet small" disabled={asks.busy} onClick={() => void end()}>
          Request disconnection
        </button>
      )}
      {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
    </li>
  )
}

export const GroupWirings = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.wirings.list({ agentGroupID: id }, { signal }), {
    of: [id],
    wants: ({ agentGroupID }) => agentGroupID === id,
  })
  const items = live.data?.items ?? []
  return (
    <section class="card panel" aria-labelledby="channels">
      <h2 id="channels">Channels</h2>
      <ListFrame live={live} count={items.length} empty={<p>Not connected to a channel.</p>}>
        <ul class="plain">
          {items.map((wired) => (
            <Address key={`${wired.channel} ${wired.address}`} wired={wired} />
          ))}
        </ul>
      </ListFrame>
    </section>
  )
}
