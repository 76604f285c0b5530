// One tool server: what it is, how it goes, what it can do, who may use it, and what it wrote.
import { isServiceError, type ProbeResult, type ServerView } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { fieldsOf } from '../../parts/diff/entry.tsx'
import { Fields } from '../../parts/diff/fields.tsx'
import { ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { EditServer } from './edit-server.tsx'
import { Grants } from './grants.tsx'
import { Logs } from './logs.tsx'
import { Probe } from './probe.tsx'
import { RequestAccess } from './request-access.tsx'
import { StateNote } from './state.tsx'
import { Tools } from './tools.tsx'

const Entry = ({ server, refresh }: { readonly server: ServerView; readonly refresh: () => void }) => (
  <section aria-labelledby="entry">
    <h2 id="entry">What it is</h2>
    <StateNote state={server.state} />
    <Fields fields={Object.entries(fieldsOf(server.name, server.entry)).map(([name, value]) => ({ name, before: value, after: value }))} />
    <EditServer key={server.tag} server={server} refresh={refresh} />
  </section>
)

const Whole = ({ server, refresh }: { readonly server: ServerView; readonly refresh: () => void }) => {
  const [found, setFound] = useState<ProbeResult>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <PageHead title={server.name} about="A tool server of the catalog. No agent may use it without a grant.">
        <Link to={{ page: 'mcp' }}>All tool servers</Link>
      </PageHead>
      <div class="decide">
        <div class="matter">
          <Entry server={server} refresh={refresh} />
          <section aria-labelledby="tools">
            <h2 id="tools">Tools</h2>
            <Probe name={server.name} found={found} show={setFound} />
            {found !== undefined && <Tools server={server.name} tools={found.tools} chosen={chosen} choose={setChosen} />}
          </section>
          <Grants server={server.name} />
          {server.entry.transport === 'stdio' && <Logs name={server.name} />}
        </div>
        <RequestAccess server={server.name} declared={found?.tools} chosen={chosen} choose={setChosen} />
      </div>
    </>
  )
}

export const ServerPage = ({ name }: { readonly name: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.servers.show(name, { signal }), {
    of: [name],
    every: 5_000,
    wants: ({ stage }) => stage.startsWith('catalog'),
  })
  const isGone = isServiceError(live.problem) && live.problem.code === 'not-found'
  if (live.data !== undefined && !isGone) return <Whole server={live.data} refresh={() => live.refresh()} />
  return (
    <>
      <PageHead title="Tool server" />
      {isGone ? (
        <div class="empty">
          <p>
            There is no tool server <Untrusted text={name} /> in the catalog.
          </p>
          <Link to={{ page: 'mcp' }}>All tool servers</Link>
        </div>
      ) : (
        <ListFrame live={live} count={0} empty={null}>
          {null}
        </ListFrame>
      )}
    </>
  )
}
