// The tool servers that a group may use.
import type { GrantView } from '@gatehouse/contracts'
import { useLive } from '../../live/use-live.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'

const stateOf = (grant: GrantView): string => {
  if (grant.expired) return 'expired'
  if (grant.exhausted) return 'used up'
  return grant.state
}

export const GroupGrants = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.grants.list({ agentGroupID: id }, { signal }), {
    of: [id],
    wants: ({ agentGroupID }) => agentGroupID === id,
  })
  const items = live.data?.items ?? []
  return (
    <section>
      <h2>Tool servers</h2>
      <ListFrame
        live={live}
        count={items.length}
        empty={
          <p>
            No tool server is granted. Access is asked for on <Link to={{ page: 'mcp' }}>MCP</Link>.
          </p>
        }
      >
        <ul class="plain">
          {items.map((grant) => (
            <li key={`${grant.server} ${grant.changeID}`}>
              <strong>{grant.server}</strong>: <Untrusted text={grant.tools.length === 0 ? 'every tool' : grant.tools.join(', ')} />{' '}
              <span class={`tag ${stateOf(grant) === 'active' ? 'good' : 'warn'}`}>{stateOf(grant)}</span>{' '}
              <Link to={{ page: 'changes', rest: [grant.changeID] }}>granted</Link> <When at={grant.grantedAt} />, called {grant.calls}{' '}
              times
            </li>
          ))}
        </ul>
      </ListFrame>
    </section>
  )
}
