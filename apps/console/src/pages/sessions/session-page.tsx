// One session: its facts, its events on one axis and in a list, its logs, its actions.
import type { SessionStatus } from '@gatehouse/contracts'
import { useMemo, useState } from 'preact/hooks'
import { wallMs } from '../../clock.ts'
import { Untrusted } from '../../components/elements.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatNumber } from '../../components/units.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { axisOf } from './axis.ts'
import { History } from './history.tsx'
import { Purge, SessionActs } from './session-acts.tsx'
import './sessions.css'
import { Timeline } from './timeline.tsx'
import { type SessionHistory, useSessionEvents } from './use-session-events.ts'

const shownAs: Readonly<Record<SessionStatus['state'], readonly [tone: string, icon: IconName]>> = {
  idle: ['', 'ended'],
  launching: ['info', 'pending'],
  live: ['good', 'good'],
  backoff: ['warn', 'pending'],
  parked: ['bad', 'warning'],
  stopping: ['warn', 'ended'],
}

/** The state of a session: an icon and a word. */
export const SessionState = ({ session: { state } }: { readonly session: SessionStatus }) => (
  <span class={`tag ${shownAs[state][0]}`}>
    <Icon name={shownAs[state][1]} /> {state}
  </span>
)

const Counts = ({ history: { data }, waiting }: { readonly history: SessionHistory; readonly waiting: number }) => {
  if (data === undefined) return null
  const calls = data.calls.filter(({ op }) => op === 'call')
  const wrong = calls.filter(({ status }) => status !== 'ok').length
  const tokens = data.models.reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0)
  return (
    <>
      <div>
        <dt>Messages</dt>
        <dd>
          {data.messages.length}
          {waiting > 0 && <span class="hint"> {waiting} pending</span>}
        </dd>
      </div>
      <div>
        <dt>Tool calls</dt>
        <dd>
          <Link to={{ page: 'calls', query: { session: calls[0]?.session } }}>{calls.length}</Link>
          {wrong > 0 && <span class="hint"> {wrong} refused or failed</span>}
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{formatNumber(tokens)}</dd>
      </div>
    </>
  )
}

const Facts = ({ session, history }: { readonly session: SessionStatus; readonly history: SessionHistory }) => {
  const first = history.events[0]
  return (
    <dl class="stats">
      <div>
        <dt>State</dt>
        <dd>
          <SessionState session={session} />
        </dd>
      </div>
      <div>
        <dt>Agent group</dt>
        <dd>
          <Link to={{ page: 'agents', rest: [session.agentGroupID] }}>{session.agentGroupID}</Link>
        </dd>
      </div>
      <div>
        <dt>Conversation</dt>
        <dd>
          <Link to={{ page: 'chat', rest: [session.agentGroupID], query: { conversation: session.conversationId } }}>
            {session.conversationId}
          </Link>
        </dd>
      </div>
      {first !== undefined && (
        <div>
          <dt>First event</dt>
          <dd>
            <RelativeTime at={new Date(first.at).toISOString()} />
          </dd>
        </div>
      )}
      <Counts history={history} waiting={session.waiting} />
      <div>
        <dt>Launches</dt>
        <dd>
          {session.launches}
          {session.lastExit !== undefined && (
            <span class="hint">
              {' last exit: '}
              <Untrusted text={session.lastExit} />
            </span>
          )}
        </dd>
      </div>
    </dl>
  )
}

const Logs = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.sessions.logs(id, { limit: 200 }, { signal }), { of: [id], every: 3_000 })
  const lines = live.data?.lines ?? []
  return (
    <section>
      <h2>Logs</h2>
      <ListFrame live={live} count={lines.length} empty={<p>The sandboxes of this session wrote nothing.</p>}>
        {(live.data?.dropped ?? 0) > 0 && <p class="hint">{live.data?.dropped} lines before these are no longer kept.</p>}
        <ol class="log" tabIndex={0} aria-label="Lines">
          {lines.map(({ at, text }, place) => (
            <li key={`${at} ${place}`}>
              <time dateTime={at}>{at.slice(11, 19)}</time> <Untrusted text={text} />
            </li>
          ))}
        </ol>
      </ListFrame>
    </section>
  )
}

const SessionDetails = ({ session }: { readonly session: SessionStatus }) => {
  const history = useSessionEvents(session)
  const [picked, pick] = useState<string>()
  const axis = useMemo(() => axisOf(history.events, wallMs()), [history.events])
  return (
    <>
      {session.fix !== undefined && (
        <p class="note warn">
          Before it is resumed: <Untrusted text={session.fix} />
        </p>
      )}
      <Facts session={session} history={history} />
      <ListFrame live={history} count={history.events.length} empty={<p>Nothing has happened in this session yet.</p>}>
        <Timeline events={history.events} axis={axis} picked={picked} pick={pick} />
        <div class="session-columns">
          <div>
            <History all={history.events} picked={picked} pick={pick} />
            {history.isCut && <p class="hint">Only the latest 200 messages, calls and requests are shown.</p>}
          </div>
          <Logs id={session.id} />
        </div>
      </ListFrame>
    </>
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
        {session !== undefined && <SessionDetails session={session} />}
      </ListFrame>
      {live.data !== undefined && session === undefined && <Logs id={id} />}
    </>
  )
}
