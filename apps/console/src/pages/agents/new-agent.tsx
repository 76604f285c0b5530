// Asks for a new agent group.
import { useState } from 'preact/hooks'
import { PageHead } from '../../parts/page-head.tsx'
import { Line, Lines } from '../../parts/text-fields.tsx'
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
            <Line
              label="Id"
              required
              pattern="[a-z0-9][a-z0-9_\-]{0,62}"
              title="a-z, 0-9, - and _, the first a letter or digit"
              value={id}
              set={setId}
            />
            <Line label="Name" required maxLength={128} value={name} set={setName} />
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
          <Lines label="Instructions" prose rows={8} value={persona} set={setPersona} />
        </AskForm>
      </div>
    </>
  )
}
