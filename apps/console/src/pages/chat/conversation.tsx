// The conversation with one group: what happened, what is under way, what the reader says next.
import { everyPage } from '../../live/every-page.ts'
import { useLive } from '../../live/use-live.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { SelectFilter } from '../../parts/select-filter.tsx'
import { useApi } from '../../unit/unit.ts'
import { Composer } from './composer.tsx'
import { Files } from './files.tsx'
import { Progress } from './progress.tsx'
import { Timeline } from './timeline.tsx'
import { useMessages } from './use-messages.ts'
import { useTimeline } from './use-timeline.ts'

interface ConversationProps {
  readonly group: string
  /** Undefined: all of the group. */
  readonly conversation: string | undefined
}

export const Conversation = ({ group, conversation }: ConversationProps) => {
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
      <ListFrame
        live={messages}
        count={list.length}
        empty={<p>Nothing was said yet. The agent's sandbox starts with the first message.</p>}
      >
        <Timeline entries={entries} earlier={messages.earlier} />
      </ListFrame>
      <Progress sessions={mine} />
      <Composer group={group} conversation={conversation} sent={messages.refresh} />
      <Files group={group} />
    </>
  )
}
