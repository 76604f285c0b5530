// How every process, tool server and session fares, each with the page that says more.
import { type ServerView, sessionStates, type SessionStatus, type Status } from '@gatehouse/contracts'
import { ListFrame } from '../../components/list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { everyPage } from '../../live/every-page.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useUnit } from '../../unit/unit.ts'

const Processes = ({ status }: { readonly status: Status }) => (
  <article class="card">
    <h3>Processes</h3>
    <ul class="plain">
      {status.processes.map(({ name, state, restarts, since }) => (
        <li key={name}>
          <span class={`tag ${state === 'ready' ? 'good' : state === 'down' ? 'bad' : 'warn'}`}>{state}</span> {name}{' '}
          <span class="soft">
            {since !== undefined && <RelativeTime at={since} />}
            {restarts > 0 && `, ${restarts} restarts`}
          </span>
        </li>
      ))}
      <li>
        <span class={`tag ${status.sandbox.status === 'ok' ? 'good' : 'warn'}`}>{status.sandbox.status}</span> sandbox{' '}
        <span class="soft">{status.sandbox.driver}</span>
      </li>
    </ul>
  </article>
)

const upIs: Readonly<Record<string, string>> = { up: 'good', down: 'bad', connecting: 'warn' }

const Servers = ({ items }: { readonly items: readonly ServerView[] }) => (
  <ul class="plain">
    {items.map(({ name, state }) => (
      <li key={name}>
        <span class={`tag ${upIs[state?.status ?? ''] ?? ''}`}>{state?.status ?? 'unknown'}</span>{' '}
        <Link to={{ page: 'mcp', rest: [name] }}>{name}</Link>{' '}
        <span class="soft">
          {state?.tools !== undefined && `${state.tools} tools`} {state?.lastError}
        </span>
      </li>
    ))}
  </ul>
)

const ServerCard = () => {
  const api = useApi()
  const live = useLive((signal) => api.servers.list({ signal }), { every: 5_000, wants: ({ stage }) => stage.startsWith('catalog-') })
  return (
    <article class="card">
      <h3>Tool servers</h3>
      <ListFrame live={live} count={live.data?.items.length ?? 0} empty={<p>None is configured.</p>}>
        <Servers items={live.data?.items ?? []} />
      </ListFrame>
    </article>
  )
}

const countsOf = (items: readonly SessionStatus[]) =>
  sessionStates.map((state) => ({ state, count: items.filter((item) => item.state === state).length })).filter(({ count }) => count > 0)

const SessionCard = () => {
  const api = useApi()
  const live = useLive((signal) => everyPage((page) => api.sessions.list(page, { signal })), { every: 5_000 })
  const items = live.data ?? []
  return (
    <article class="card">
      <h3>Sessions</h3>
      <ListFrame live={live} count={items.length} empty={<p>Nobody has talked to an agent yet.</p>}>
        <ul class="plain">
          {countsOf(items).map(({ state, count }) => (
            <li key={state}>
              <Link to={{ page: 'sessions', query: { state } }}>
                {count} {state}
              </Link>
            </li>
          ))}
        </ul>
      </ListFrame>
    </article>
  )
}

export const Health = () => {
  const { status } = useUnit()
  return (
    <section aria-labelledby="health">
      <h2 id="health">How every part fares</h2>
      <div class="cards">
        {status !== undefined && <Processes status={status} />}
        {status?.mcp.enabled === true && <ServerCard />}
        {status !== undefined && status.sandbox.status !== 'off' && <SessionCard />}
      </div>
    </section>
  )
}
