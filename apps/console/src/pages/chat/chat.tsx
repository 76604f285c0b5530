// Talk to an agent group: which one stands in the address.
import { useGroups } from '../../live/use-groups.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/use-place.ts'
import { go } from '../../router/router.ts'
import { Conversation } from './conversation.tsx'
import './chat.css'

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
