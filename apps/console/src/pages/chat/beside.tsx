// What stands beside a conversation: the others of the group, and what the agent is, uses and may do.
import type { AgentGroup, ChatMessage, SessionStatus } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatNumber } from '../../components/units.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { useApi } from '../../unit/unit.ts'
import { SessionState } from '../sessions/session-page.tsx'

interface ConversationsProps {
  readonly group: string
  /** Undefined: all of the group. */
  readonly current: string | undefined
  readonly sessions: readonly SessionStatus[]
}

interface Conversation {
  readonly id: string
  readonly session: SessionStatus | undefined
  readonly last: ChatMessage | undefined
}

/** The conversations of the latest messages and of the open sessions, the one with the latest message first. */
const conversationsOf = (messages: readonly ChatMessage[], sessions: readonly SessionStatus[]): readonly Conversation[] => {
  const latest = new Map(messages.map((message) => [message.conversationId, message]))
  const ids = new Set([...latest.keys(), ...sessions.map(({ conversationId }) => conversationId)])
  return [...ids]
    .map((id) => ({ id, last: latest.get(id), session: sessions.find(({ conversationId }) => conversationId === id) }))
    .toSorted((a, b) => (b.last?.at ?? '').localeCompare(a.last?.at ?? ''))
}

export const Conversations = ({ group, current, sessions }: ConversationsProps) => {
  const api = useApi()
  const live = useLive((signal) => api.chat.messages(group, { limit: 200 }, { signal }), { of: [group], every: 4_000 })
  const items = conversationsOf(live.data?.messages ?? [], sessions)
  if (items.length === 0) return null
  return (
    <nav class="conversations" aria-label="Conversations">
      <Link to={{ page: 'chat', rest: [group] }} current={current === undefined}>
        All conversations
      </Link>
      {items.map(({ id, last, session }) => (
        <Link key={id} to={{ page: 'chat', rest: [group], query: { conversation: id } }} current={current === id}>
          <span class="conversation-name">
            <Untrusted text={id} />
            {session !== undefined && session.waiting > 0 && <span class="tag info">{session.waiting} pending</span>}
            {session?.state === 'parked' && <span class="tag bad">parked</span>}
          </span>
          {last !== undefined && (
            <span class="conversation-last">
              <Untrusted text={last.text.slice(0, 120)} /> · <RelativeTime at={last.at} />
            </span>
          )}
        </Link>
      ))}
    </nav>
  )
}

interface AboutProps {
  readonly group: AgentGroup
  readonly session: SessionStatus | undefined
}

const Tokens = ({ group: { id, limits } }: Pick<AboutProps, 'group'>) => {
  const api = useApi()
  const models = useLive((signal) => api.models.list({ signal }), { of: [id], every: 5_000 })
  const used = models.data?.spending.find(({ agentGroupID }) => agentGroupID === id)?.tokens ?? 0
  const limit = limits.modelTokensPerDay
  return (
    <>
      <dt>Tokens today</dt>
      <dd>
        {formatNumber(used)}
        {limit !== undefined && (
          <>
            {` of ${formatNumber(limit)} `}
            <meter min={0} max={Math.max(limit, 1)} high={limit * 0.8} value={Math.min(used, limit)} aria-label="Tokens today" />
          </>
        )}
      </dd>
    </>
  )
}

export const About = ({ group, session }: AboutProps) => {
  const api = useApi()
  const grants = useLive((signal) => api.grants.list({ agentGroupID: group.id }, { signal }), {
    of: [group.id],
    wants: ({ agentGroupID }) => agentGroupID === group.id,
  })
  const active = (grants.data?.items ?? []).filter(({ state }) => state === 'active')
  return (
    <dl class="card chat-about">
      <dt>Agent</dt>
      <dd>
        <Link to={{ page: 'agents', rest: [group.id] }}>{group.id}</Link>
      </dd>
      <dt>Model</dt>
      <dd>{group.model === undefined ? 'none' : <Untrusted text={`${group.model.provider} ${group.model.id}`} />}</dd>
      {group.model !== undefined && <Tokens group={group} />}
      {session !== undefined && (
        <>
          <dt>Session</dt>
          <dd>
            <Link to={{ page: 'sessions', rest: [session.id] }}>
              <SessionState session={session} />
            </Link>
          </dd>
        </>
      )}
      <dt>Tool servers</dt>
      <dd>
        {active.length === 0
          ? 'none'
          : active.map(({ server, tools }) => (
              <div key={server}>
                <Link to={{ page: 'mcp', rest: [server] }}>{server}</Link>{' '}
                <span class="soft">
                  <Untrusted text={tools.length === 0 ? 'every tool' : tools.join(', ')} />
                </span>
              </div>
            ))}
      </dd>
    </dl>
  )
}
