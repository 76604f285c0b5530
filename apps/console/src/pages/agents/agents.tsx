// Agent groups: all of them, one of them, a new one. Whatever alters one is a change that waits for a decision.
import { type AgentGroup, visible } from '@gatehouse/contracts'
import { useGroups } from '../../live/use-groups.ts'
import { FrozenNote, ListFrame } from '../../parts/list-frame.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/use-place.ts'
import { useLacks } from '../../unit/unit.ts'
import { AgentPage } from './agent-page.tsx'
import { NewAgent } from './new-agent.tsx'
import './agents.css'

const Card = ({ group }: { readonly group: AgentGroup }) => (
  <article class="card agent" data-row>
    <h2>
      <Link to={{ page: 'agents', rest: [group.id] }}>
        <Untrusted text={group.name} />
      </Link>
    </h2>
    <p class="soft">
      <code>{group.id}</code> {group.agent}
      {group.model !== undefined && `, ${group.model.provider} ${group.model.id}`}
    </p>
    <p class="persona">{group.persona === '' ? 'No instructions.' : <Untrusted text={group.persona} />}</p>
    <p>
      <Link to={{ page: 'chat', rest: [group.id] }} class="button quiet small" label={`Chat with ${visible(group.name)}`}>
        Chat
      </Link>
    </p>
  </article>
)

const AgentList = () => {
  const lacks = useLacks('requester')
  const { query } = usePlace()
  const live = useGroups()
  const words = (query['find'] ?? '').toLowerCase()
  const all = live.data ?? []
  const items = all.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(words))
  return (
    <>
      <PageHead title="Agents" about="Each group has its own instructions, tools, sandbox and files.">
        {lacks === undefined && (
          <Link to={{ page: 'agents', rest: ['new'] }} class="button">
            New agent group
          </Link>
        )}
      </PageHead>
      {all.length > 6 && (
        <div class="filters">
          <TextFilter name="find" label="Find" />
        </div>
      )}
      <ListFrame
        live={live}
        count={items.length}
        empty={
          <p>
            {all.length > 0
              ? 'No group has such a name.'
              : 'There is no agent group yet. A new one is a change that somebody has to approve.'}
          </p>
        }
      >
        <div class="cards">
          {items.map((group) => (
            <Card key={group.id} group={group} />
          ))}
        </div>
      </ListFrame>
    </>
  )
}

export const Agents = () => {
  const id = usePlace().rest[0]
  if (id === undefined) return <AgentList />
  return (
    <>
      <FrozenNote group={id} />
      {id === 'new' ? <NewAgent /> : <AgentPage key={id} id={id} />}
    </>
  )
}
