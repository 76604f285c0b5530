// The form that requests another model, other limits and other members for an agent group.
import { type AgentGroup, modelProviders, providerPowers } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { ChoiceField, TextField } from '../../components/fields.tsx'
import { AskForm } from './ask-form.tsx'

export interface Model {
  readonly provider: string
  readonly id: string
}

export const ModelFields = ({ model, change }: { readonly model: Model; readonly change: (model: Model) => void }) => (
  <div class="pair">
    <ChoiceField label="Provider" choices={modelProviders} value={model.provider} set={(provider) => change({ ...model, provider })} />
    <TextField label="Model" required maxLength={128} value={model.id} set={(id) => change({ ...model, id })} />
  </div>
)

const limitNames = {
  modelTokensPerDay: 'Model tokens a day',
  callsPerMinute: 'Tool calls a minute',
  memoryMiB: 'Memory, MiB',
  cpus: 'CPUs',
  processes: 'Processes',
  workspaceMiB: 'Workspace, MiB',
} as const
type LimitName = keyof typeof limitNames

const names: readonly LimitName[] = ['modelTokensPerDay', 'callsPerMinute', 'memoryMiB', 'cpus', 'processes', 'workspaceMiB']

export const PermissionsForm = ({ group }: { readonly group: AgentGroup }) => {
  const [model, setModel] = useState<Model>(group.model ?? { provider: 'anthropic', id: '' })
  const [numbers, setNumbers] = useState<Readonly<Partial<Record<LimitName, number>>>>(() =>
    Object.fromEntries(names.flatMap((name) => (group.limits[name] === undefined ? [] : [[name, group.limits[name]]]))),
  )
  const [powers, setPowers] = useState<readonly string[]>(group.providerTools)
  const after = () => ({
    ...(group.agent === 'model' && { model }),
    limits: Object.fromEntries(Object.entries(numbers).filter(([, value]) => !Number.isNaN(value))),
    providerTools: powers,
  })
  return (
    <AskForm kind="permissions" agentGroupID={group.id} after={after} label="Request these permissions">
      {group.agent === 'model' && <ModelFields model={model} change={setModel} />}
      <fieldset class="limits">
        <legend>Limits</legend>
        {names.map((name) => (
          <label key={name} class="field">
            {limitNames[name]}
            <input
              type="number"
              min="0"
              step="any"
              placeholder="unit default"
              value={numbers[name] ?? ''}
              onInput={(event) => setNumbers({ ...numbers, [name]: event.currentTarget.valueAsNumber })}
            />
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>Provider tools: they run at the provider and are not brokered</legend>
        {Object.entries(providerPowers).map(([power, says]) => (
          <label key={power} class="choice">
            <input
              type="checkbox"
              checked={powers.includes(power)}
              onChange={(event) => setPowers(event.currentTarget.checked ? [...powers, power] : powers.filter((each) => each !== power))}
            />{' '}
            <code>{power}</code> <span class="hint">{says}</span>
          </label>
        ))}
      </fieldset>
    </AskForm>
  )
}
