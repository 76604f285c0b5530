// Chat with an agent group; the address names the group.
import type { AgentGroup } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { everyPage } from '../../live/every-page.ts'
import { useGroups } from '../../live/use-list.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { go, usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import { About, Conversations } from './beside.tsx'
import './chat.css'
import { Composer, Progress } from './composer.tsx'
import { Files } from './files.tsx'
import { Timeline } from './timeline.tsx'
import { useMessages, useTimeline } from './use-timeline.ts'

interface ConversationProps {
  readonly group: AgentGroup
  /** Undefined: all of the group. */
  readonly conversation: string | undefined
}

const Conversation = ({ group: agent, conversation }: ConversationProps) => {
  const api = useApi()
  const group = agent.id
  const messages = useMessages(group, conversation)
  const ask = (signal: AbortSignal) => everyPage((page) => api.sessions.list({ ...page, agentGroupID: group }, { signal }))
  const sessions = useLive(ask, { of: [group], every: 1_000 }).data ?? []
  const mine = conversation === undefined ? sessions : sessions.filter(({ conversationId }) => conversationId === conversation)
  const list = messages.data ?? []
  const session = conversation === undefined ? undefined : mine[0]
  const entries = useTimeline({ group, session: session?.id, messages: list, busy: mine.some(({ waiting }) => waiting > 0) })
  return (
    <div class="chat-columns">
      <Conversations group={group} current={conversation} sessions={sessions} />
      <div class="chat-middle">
        <ListFrame live={messages} count={list.length} empty={<p>No messages yet. The agent's sandbox starts with the first message.</p>}>
          <Timeline entries={entries} earlier={messages.earlier} session={session?.id} />
        </ListFrame>
        <Progress sessions={mine} />
        <Composer group={group} conversation={conversation} sent={messages.refresh} />
      </div>
      <aside class="chat-side" aria-label="About the agent">
        <About group={agent} session={session} />
        <Files group={group} />
      </aside>
    </div>
  )
}

export const Chat = () => {
  const { rest, query } = usePlace()
  const groups = useGroups()
  const items = groups.data ?? []
  const group = rest[0] ?? items[0]?.id
  const agent = items.find(({ id }) => id === group)
  const conversation = query['conversation'] || undefined
  return (
    <div class="chat">
      <PageHead title="Chat">
        {items.length > 0 && (
          <label class="field">
            Agent group
            <select value={group} onChange={(event) => go({ page: 'chat', rest: [event.currentTarget.value] })}>
              {items.map(({ id, name }) => (
                <option key={id} value={id}>
                  <Untrusted text={`${name} (${id})`} />
                </option>
              ))}
            </select>
          </label>
        )}
      </PageHead>
      <ListFrame
        live={groups}
        count={items.length}
        group={group}
        empty={
          <p>
            There is no agent group yet. <Link to={{ page: 'agents', rest: ['new'] }}>Ask for one</Link>.
          </p>
        }
      >
        {agent !== undefined && <Conversation key={`${agent.id} ${conversation ?? ''}`} group={agent} conversation={conversation} />}
      </ListFrame>
    </div>
  )
}
