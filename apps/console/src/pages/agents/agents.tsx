// All agent groups, and the form that requests a new one. Each request is a change that a person decides.
import { type AgentGroup, visible } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Untrusted } from '../../components/elements.tsx'
import { TextArea, TextField } from '../../components/fields.tsx'
import { TextFilter } from '../../components/filters.tsx'
import { FrozenNote, ListFrame } from '../../components/list.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { useGroups } from '../../live/use-list.ts'
import { Link } from '../../router/link.tsx'
import { usePlace } from '../../router/router.ts'
import { useMissingRole } from '../../unit/unit.ts'
import { AgentPage } from './agent-page.tsx'
import './agents.css'
import { AskForm } from './ask-form.tsx'
import { ModelFields } from './edit-fields.tsx'
import type { Model } from './edit-parts.ts'

const NewAgent = () => {
  const [id, setId] = useState('')
  const [name, setName] = useState('')
  const [agent, setAgent] = useState<'mock' | 'model'>('model')
  const [persona, setPersona] = useState('')
  const [model, setModel] = useState<Model>({ provider: 'anthropic', id: '' })
  const after = () => ({ id, name, agent, ...(persona !== '' && { persona }), ...(agent === 'model' && { model }) })
  return (
    <>
      <PageHead title="New agent group" about={<Link to={{ page: 'agents' }}>All agent groups</Link>} />
      <div class="narrow">
        <AskForm kind="agent_create" agentGroupID={id} after={after} label="Request this group">
          <div class="pair">
            <TextField
              label="Id"
              required
              pattern="[a-z0-9][a-z0-9_\-]{0,62}"
              title="a-z, 0-9, - and _, the first a letter or digit"
              value={id}
              set={setId}
            />
            <TextField label="Name" required maxLength={128} value={name} set={setName} />
          </div>
          <fieldset>
            <legend>Agent</legend>
            <label class="choice">
              <input type="radio" name="agent" checked={agent === 'model'} onChange={() => setAgent('model')} /> LLM agent
            </label>
            <label class="choice">
              <input type="radio" name="agent" checked={agent === 'mock'} onChange={() => setAgent('mock')} /> Mock agent (testing)
            </label>
          </fieldset>
          {agent === 'model' && <ModelFields model={model} change={setModel} />}
          <TextArea label="Instructions" prose rows={8} value={persona} set={setPersona} />
        </AskForm>
      </div>
    </>
  )
}

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
  const lacks = useMissingRole('requester')
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
        empty={<p>{all.length > 0 ? 'No group matches.' : 'No agent group yet. A new one is a change that someone has to approve.'}</p>}
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
