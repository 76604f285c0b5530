// The tool servers of the catalog: what each is, how it goes, which tools it declares.
import type { ProbeResult, ServerView, ServiceError } from '@gatehouse/contracts'
import { toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { useApi } from '../../unit/unit.ts'

const target = ({ entry }: ServerView): string => (entry.transport === 'http' ? entry.url : [entry.command, ...entry.args].join(' '))

const ofCatalog: readonly string[] = ['catalog-put', 'catalog-delete', 'catalog-reload']

export const Servers = () => {
  const api = useApi()
  const servers = useLive((signal) => api.servers.list({ signal }), { wants: ({ stage }) => ofCatalog.includes(stage), every: 5_000 })
  const items = servers.data?.items ?? []
  return (
    <>
      <PageHead title="MCP" />
      <ListFrame live={servers} count={items.length} empty="No tool server is configured. Add one with: svcctl mcp add">
        {items.map((server) => (
          <Server key={server.name} server={server} />
        ))}
      </ListFrame>
    </>
  )
}

const Server = ({ server }: { readonly server: ServerView }) => {
  const api = useApi()
  const [found, setFound] = useState<ProbeResult>()
  const [problem, setProblem] = useState<ServiceError>()
  const [busy, setBusy] = useState(false)
  const probe = async (): Promise<void> => {
    setBusy(true)
    try {
      setFound(await api.servers.probe(server.name))
      setProblem(undefined)
    } catch (error) {
      setProblem(toServiceError(error))
    }
    setBusy(false)
  }
  return (
    <article class="card" aria-labelledby={`server-${server.name}`}>
      <h2 id={`server-${server.name}`}>{server.name}</h2>
      <dl>
        <dt>Local/Remote</dt>
        <dd>{server.entry.transport === 'http' ? 'Remote' : 'Local'}</dd>
        <dt>{server.entry.transport === 'http' ? 'URL' : 'Command'}</dt>
        <dd>
          <code>
            <Untrusted text={target(server)} />
          </code>
        </dd>
        <dt>State</dt>
        <dd>
          {server.state?.status ?? 'unknown'} {server.state?.lastError !== undefined && <Untrusted text={`(${server.state.lastError})`} />}
        </dd>
      </dl>
      <p class="actions">
        <button type="button" class="quiet" disabled={busy} onClick={() => void probe()}>
          {busy ? 'Probing …' : 'Probe'}
        </button>
      </p>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {found !== undefined && (
        <ul aria-label={`Tools of ${server.name}`}>
          {found.tools.map((tool) => (
            <li key={tool.name}>
              <code>
                <Untrusted text={tool.name} />
              </code>{' '}
              <Untrusted text={tool.description ?? ''} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
