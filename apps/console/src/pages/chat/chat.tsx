// Chat with an agent group; the address names the group.
import { Untrusted } from '../../components/elements.tsx'
import { SelectFilter } from '../../components/filters.tsx'
import { ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { everyPage } from '../../live/every-page.ts'
import { useGroups } from '../../live/use-list.ts'
import { useLive } from '../../live/use-live.ts'
import { Link } from '../../router/link.tsx'
import { go, usePlace } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import './chat.css'
import { Composer, Progress } from './composer.tsx'
import { Files } from './files.tsx'
import { Timeline } from './timeline.tsx'
import { useMessages, useTimeline } from './use-timeline.ts'

interface ConversationProps {
  readonly group: string
  /** Undefined: all of the group. */
  readonly conversation: string | undefined
}

const Conversation = ({ group, conversation }: ConversationProps) => {
  const api = useApi()
  const messages = useMessages(group, conversation)
  const ask = (signal: AbortSignal) => everyPage((page) => api.sessions.list({ ...page, agentGroupID: group, conversation }, { signal }))
  const mine = useLive(ask, { of: [group, conversation], every: 1_000 }).data ?? []
  const list = messages.data ?? []
  const session = conversation === undefined ? undefined : mine[0]?.id
  const entries = useTimeline({ group, session, messages: list, busy: mine.some(({ waiting }) => waiting > 0) })
  const conversations = [...new Set(list.map(({ conversationId }) => conversationId))]
  return (
    <>
      {(conversations.length > 1 || conversation !== undefined) && (
        <div class="filters">
          <SelectFilter name="conversation" label="Conversation" choices={conversations} />
        </div>
      )}
      <ListFrame live={messages} count={list.length} empty={<p>No messages yet. The agent's sandbox starts with the first message.</p>}>
        <Timeline entries={entries} earlier={messages.earlier} />
      </ListFrame>
      <Progress sessions={mine} />
      <Composer group={group} conversation={conversation} sent={messages.refresh} />
      <Files group={group} />
    </>
  )
}

export const Chat = () => {
  const { rest, query } = usePlace()
  const groups = useGroups()
  const items = groups.data ?? []
  const group = rest[0] ?? items[0]?.id
  const conversation = query['conversation']
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
        {group !== undefined && <Conversation key={`${group} ${conversation ?? ''}`} group={group} conversation={conversation} />}
      </ListFrame>
    </div>
  )
}
