// The tool servers of the catalog, and one of them: what stands in the address decides.
import type { GrantView, ServerView } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useMissingRole, useUnit } from '../../unit/unit.ts'
import { driftsOf, useGrants, useServers } from './catalog.ts'
import { AddServer } from './edit-server.tsx'
import { ServerPage } from './server-page.tsx'
import { StateTag, targetOf } from './state.tsx'

const Row = ({ server, grants }: { readonly server: ServerView; readonly grants: readonly GrantView[] }) => {
  const drifts = grants.flatMap(driftsOf)
  return (
    <li data-row class="row">
      <div class="row-head">
        <Link to={{ page: 'mcp', rest: [server.name] }} class="row-title">
          {server.name}
        </Link>
        <StateTag state={server.state} />
      </div>
      <p class="row-facts">
        {server.entry.transport === 'http' ? 'Remote' : 'Local'}:{' '}
        <code>
          <Untrusted text={targetOf(server.entry)} />
        </code>
      </p>
      <p class="row-facts">
        {server.state?.tools !== undefined && `${server.state.tools} tools, `}
        {grants.length === 0 ? 'no grants' : `granted to ${[...new Set(grants.map(({ agentGroupID }) => agentGroupID))].join(', ')}`}
        {drifts.length > 0 && (
          <span class="tag warn">{drifts.length === 1 ? drifts[0] : `${drifts.length} differences since approval`}</span>
        )}
      </p>
    </li>
  )
}

const List = () => {
  const servers = useServers()
  const grants = useGrants()
  const { status } = useUnit()
  const lacks = useMissingRole('admin')
  const { query } = usePlace()
  const items = servers.data?.items ?? []
  if (status?.mcp.enabled === false)
    return (
      <div class="empty">
        <p>
          <strong>This unit has no tool servers.</strong> No agent can reach one.
        </p>
        <p>
          Start it with <code>--mcp-catalog</code> and the path of a catalog file to turn them on.
        </p>
      </div>
    )
  return (
    <>
      <ListFrame
        live={servers}
        count={items.length}
        empty={
          <p>
            <strong>No tool server is configured.</strong> Adding one grants nothing to any agent.
          </p>
        }
      >
        <ul class="rows" aria-label="Tool servers">
          {items.map((server) => (
            <Row
              key={server.name}
              server={server}
              grants={(grants.data?.items ?? []).filter((grant) => grant.server === server.name && grant.state !== 'revoked')}
            />
          ))}
        </ul>
      </ListFrame>
      {lacks === undefined ? (
        <AddServer open={query['add'] === '1'} refresh={() => servers.refresh()} />
      ) : (
        <p class="hint">To add a server: {lacks}</p>
      )}
    </>
  )
}

export const Servers = () => {
  const { rest } = usePlace()
  const [name] = rest
  if (name !== undefined) return <ServerPage key={name} name={name} />
  return (
    <>
      <PageHead title="MCP" about="Tool servers of this unit. No agent may use one until a change that grants access is approved." />
      <List />
    </>
  )
}
