// Asks for a new agent group.
import { useState } from 'preact/hooks'
import { PageHead } from '../../parts/page-head.tsx'
import { Link } from '../../router/link.tsx'
import { AskForm } from './ask-form.tsx'
import { type Model, ModelFields } from './model-fields.tsx'

export const NewAgent = () => {
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
        <AskForm kind="agent_create" agentGroupID={id} after={after} label="Ask for this group">
          <div class="pair">
            <label class="field">
              Id
              <input
                value={id}
                required
                pattern="[a-z0-9][a-z0-9_\-]{0,62}"
                title="a-z, 0-9, - and _, the first a letter or digit"
                onInput={(event) => setId(event.currentTarget.value)}
              />
            </label>
            <label class="field">
              Name
              <input value={name} required maxLength={128} onInput={(event) => setName(event.currentTarget.value)} />
            </label>
          </div>
          <fieldset>
            <legend>Agent</legend>
            <label class="choice">
              <input type="radio" name="agent" checked={agent === 'model'} onChange={() => setAgent('model')} /> A model thinks
            </label>
            <label class="choice">
              <input type="radio" name="agent" checked={agent === 'mock'} onChange={() => setAgent('mock')} /> A mock that echoes, for
              trials
            </label>
          </fieldset>
          {agent === 'model' && <ModelFields model={model} change={setModel} />}
          <label class="field">
            Instructions
            <textarea rows={8} value={persona} onInput={(event) => setPersona(event.currentTarget.value)} />
          </label>
        </AskForm>
      </div>
    </>
  )
}
