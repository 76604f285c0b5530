// One tool server: its entry, its state, its tools, its grants and its logs.
import { type DeclaredTools, type GrantView, isServiceError, type ProbeResult, type ServerView } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Fields, fieldsOf } from '../../components/diff/fields.tsx'
import { Collapsible, Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { counted } from '../../components/units.ts'
import { useAction } from '../../components/use-action.ts'
import { type Live, useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useMissingRole } from '../../unit/unit.ts'
import { useDeclared, useGrants } from './catalog.ts'
import { EditServer } from './edit-server.tsx'
import { Grants } from './grants.tsx'
import { RequestAccess } from './request-access.tsx'
import { ServerCalls, ServerFacts, useServerCalls } from './server-calls.tsx'
import { StateNote } from './state.tsx'
import { Tools } from './tools.tsx'

/** Standard error of a local server, followed while it is open. */
const Follow = ({ name }: { readonly name: string }) => {
  const api = useApi()
  const logs = useLive((signal) => api.servers.logs(name, { limit: 200 }, { signal }), { of: [name], every: 3_000 })
  if (logs.problem !== undefined) return <ProblemNote problem={logs.problem} />
  if (logs.data === undefined) return <p class="soft">Loading …</p>
  if (logs.data.items.length === 0) return <p class="soft">No output since it started.</p>
  return (
    <ol class="log" tabIndex={0} aria-label={`What ${name} wrote`}>
      {logs.data.items.map(({ seq, at, text }) => (
        <li key={seq}>
          <time dateTime={at}>{at.slice(11, 19)}</time> <Untrusted text={text} />
        </li>
      ))}
    </ol>
  )
}

const Logs = ({ name }: { readonly name: string }) => {
  const lacks = useMissingRole('approver')
  return (
    <section aria-labelledby="logs">
      <h2 id="logs">Logs</h2>
      {lacks === undefined ? <Collapsible summary="stderr">{() => <Follow name={name} />}</Collapsible> : <p class="note">{lacks}</p>}
    </section>
  )
}

interface ProbeProps {
  readonly name: string
  readonly found: ProbeResult | undefined
  readonly show: (found: ProbeResult) => void
}

/** Connects to the server and shows what it declares now. */
const Probe = ({ name, found, show }: ProbeProps) => {
  const api = useApi()
  const act = useAction()
  const lacks = useMissingRole('approver')
  const probe = (): Promise<boolean> => act.run(async () => show(await api.servers.probe(name)))
  if (lacks !== undefined) return <p class="note">To probe the server: {lacks}</p>
  return (
    <>
      <p>
        <button type="button" class="quiet" disabled={act.busy} onClick={() => void probe()}>
          {act.busy ? 'Probing …' : 'Probe'}
        </button>{' '}
        <span class="soft" role="status">
          {found === undefined ? (
            'Connects and lists its tools; nothing is called.'
          ) : (
            <>
              <Untrusted text={`${found.server.name} ${found.server.version}`} /> answered in {found.elapsedMs} ms with{' '}
              {counted(found.tools.length, 'tool')}, protocol <Untrusted text={found.server.protocol} />
            </>
          )}
        </span>
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
    </>
  )
}

const Entry = ({ server, refresh }: { readonly server: ServerView; readonly refresh: () => void }) => (
  <section aria-labelledby="entry">
    <h2 id="entry">Definition</h2>
    <Fields fields={Object.entries(fieldsOf(server.name, server.entry)).map(([name, value]) => ({ name, before: value, after: value }))} />
    <EditServer key={server.tag} server={server} refresh={refresh} />
  </section>
)

interface DeclaredProps {
  readonly server: string
  readonly live: Live<DeclaredTools>
  readonly found: ProbeResult | undefined
  readonly grants: readonly GrantView[]
  readonly chosen: ReadonlySet<string>
  readonly choose: (chosen: ReadonlySet<string>) => void
}

/** The tools of the last listing, or of a probe after it. */
const Declared = ({ live, found, ...list }: DeclaredProps) => {
  const at = live.data?.at
  const tools = found?.tools ?? live.data?.tools ?? []
  if (found === undefined && at === undefined)
    return (
      <ListFrame live={live} count={0} empty={<p>Its tools were not listed yet. Probe it to list them; nothing is called.</p>}>
        {null}
      </ListFrame>
    )
  return (
    <>
      {found === undefined && at !== undefined && (
        <p class="hint">
          {counted(tools.length, 'tool')}, last listed <RelativeTime at={at} />.
        </p>
      )}
      <Tools tools={tools} {...list} />
    </>
  )
}

const ServerDetails = ({ server, refresh }: { readonly server: ServerView; readonly refresh: () => void }) => {
  const [found, setFound] = useState<ProbeResult>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { name, tag } = server
  const declared = useDeclared(name, tag)
  const calls = useServerCalls(name)
  const grants = (useGrants().data?.items ?? []).filter((grant) => grant.server === name && grant.state !== 'revoked')
  const known = found?.tools ?? (declared.data?.at === undefined ? undefined : declared.data.tools)
  return (
    <>
      <PageHead title={name} about="A tool server of the catalog. No agent may use it without a grant.">
        <Link to={{ page: 'mcp' }}>All tool servers</Link>
      </PageHead>
      <ServerFacts
        server={server}
        declared={known === undefined ? undefined : { at: declared.data?.at, tools: known }}
        grants={grants}
        calls={calls.data ?? []}
      />
      <StateNote state={server.state} />
      <div class="decide">
        <div class="matter">
          <section aria-labelledby="tools">
            <h2 id="tools">Tools</h2>
            <Probe name={name} found={found} show={setFound} />
            <Declared server={name} live={declared} found={found} grants={grants} chosen={chosen} choose={setChosen} />
          </section>
          <Grants server={name} />
          <ServerCalls server={name} live={calls} />
          <Entry server={server} refresh={refresh} />
          {server.entry.transport === 'stdio' && <Logs name={name} />}
        </div>
        <RequestAccess server={name} declared={known} chosen={chosen} choose={setChosen} />
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
  if (live.data !== undefined && !isGone) return <ServerDetails server={live.data} refresh={() => live.refresh()} />
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
