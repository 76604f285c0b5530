// One session: its facts, its actions, its logs.
import type { SessionStatus } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { Purge, SessionActs } from './session-acts.tsx'

const colours: Readonly<Record<SessionStatus['state'], string>> = {
  idle: '',
  launching: 'info',
  live: 'good',
  backoff: 'warn',
  parked: 'bad',
  stopping: 'warn',
}

/** The state of a session, as a label with a colour. */
export const SessionState = ({ session }: { readonly session: SessionStatus }) => (
  <span class={`tag ${colours[session.state]}`}>{session.state}</span>
)

const Facts = ({ session }: { readonly session: SessionStatus }) => (
  <dl class="card">
    <dt>State</dt>
    <dd>
      <SessionState session={session} />
    </dd>
    <dt>Agent group</dt>
    <dd>
      <Link to={{ page: 'agents', rest: [session.agentGroupID] }}>{session.agentGroupID}</Link>
    </dd>
    <dt>Conversation</dt>
    <dd>
      <Link to={{ page: 'chat', rest: [session.agentGroupID], query: { conversation: session.conversationId } }}>
        {session.conversationId}
      </Link>
    </dd>
    <dt>Pending messages</dt>
    <dd>{session.waiting}</dd>
    <dt>Launches</dt>
    <dd>{session.launches}</dd>
    <dt>Last exit</dt>
    <dd>{session.lastExit === undefined ? 'none yet' : <Untrusted text={session.lastExit} />}</dd>
  </dl>
)

const Logs = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.sessions.logs(id, { limit: 200 }, { signal }), { of: [id], every: 3_000 })
  const lines = live.data?.lines ?? []
  return (
    <section>
      <h2>Logs</h2>
      <ListFrame live={live} count={lines.length} empty={<p>No output.</p>}>
        {(live.data?.dropped ?? 0) > 0 && <p class="hint">{live.data?.dropped} lines before these are no longer kept.</p>}
        <ol class="log" tabIndex={0} aria-label="Lines">
          {lines.map(({ at, text }, place) => (
            <li key={`${at} ${place}`}>
              <RelativeTime at={at} /> <Untrusted text={text} />
            </li>
          ))}
        </ol>
      </ListFrame>
    </section>
  )
}

export const SessionPage = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.sessions.list({ session: id }, { signal }), { of: [id], every: 3_000 })
  const session = live.data?.items[0]
  return (
    <>
      <PageHead title={`Session ${id}`} about={<Link to={{ page: 'sessions' }}>All sessions</Link>}>
        {session !== undefined && <SessionActs session={session} refresh={live.refresh} />}
      </PageHead>
      <FrozenNote group={session?.agentGroupID} />
      <ListFrame live={live} count={session === undefined ? 0 : 1} empty={<Purge id={id} />}>
        {session !== undefined && <Facts session={session} />}
      </ListFrame>
      <Logs id={id} />
    </>
  )
}
