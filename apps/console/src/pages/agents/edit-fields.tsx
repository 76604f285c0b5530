// The fields of the form that edits an agent group, one component for each part.
import { alwaysOnTools, type BuiltinTool, builtinTools, modelProviders, type Mount, providerPowers } from '@gatehouse/contracts'
import { ChoiceField, TextArea, TextField } from '../../components/fields.tsx'
import { limitNames } from '../../components/units.ts'
import type { Draft, Model } from './edit-parts.ts'

interface FieldsProps {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
}

const stays = (tool: BuiltinTool): boolean => alwaysOnTools.some((always) => always === tool)

export const ToolFields = ({ draft: { enabled }, set }: FieldsProps) => {
  const turn = (tool: BuiltinTool, on: boolean): void =>
    set({ enabled: builtinTools.filter((each) => (each === tool ? on : enabled.includes(each))) })
  return (
    <fieldset>
      <legend>Enabled</legend>
      {builtinTools.map((tool) => (
        <label key={tool} class="choice">
          <input
            type="checkbox"
            checked={stays(tool) || enabled.includes(tool)}
            disabled={stays(tool)}
            onChange={(event) => turn(tool, event.currentTarget.checked)}
          />{' '}
          <code>{tool}</code>
          {stays(tool) && <span class="hint">always on</span>}
          {tool === 'run_script' && <span class="hint">runs programs in the sandbox</span>}
        </label>
      ))}
    </fieldset>
  )
}

export const ModelFields = ({ model, change }: { readonly model: Model; readonly change: (model: Model) => void }) => (
  <div class="pair">
    <ChoiceField label="Provider" choices={modelProviders} value={model.provider} set={(provider) => change({ ...model, provider })} />
    <TextField label="Model" required maxLength={128} value={model.id} set={(id) => change({ ...model, id })} />
  </div>
)

const labels = {
  modelTokensPerDay: 'Model tokens a day',
  callsPerMinute: 'Tool calls a minute',
  memoryMiB: 'Memory, MiB',
  cpus: 'CPUs',
  processes: 'Processes',
  workspaceMiB: 'Workspace, MiB',
} as const

export const PermissionFields = ({ draft: { model, limits, providerTools }, set }: FieldsProps) => (
  <>
    {model !== undefined && <ModelFields model={model} change={(next) => set({ model: next })} />}
    <fieldset class="limits">
      <legend>Limits</legend>
      {limitNames.map((name) => (
        <label key={name} class="field">
          {labels[name]}
          <input
            type="number"
            min="0"
            step="any"
            placeholder="unit default"
            value={limits[name] ?? ''}
            onInput={(event) => set({ limits: { ...limits, [name]: event.currentTarget.valueAsNumber } })}
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
            checked={providerTools.includes(power)}
            onChange={(event) =>
              set({
                providerTools: event.currentTarget.checked ? [...providerTools, power] : providerTools.filter((each) => each !== power),
              })
            }
          />{' '}
          <code>{power}</code> <span class="hint">{says}</span>
        </label>
      ))}
    </fieldset>
  </>
)

export const PackageFields = ({ draft: { packages }, set }: FieldsProps) => (
  <TextArea
    label="Packages of npm, one a line"
    hint="name@1.2.3, the exact version. Packages that are not listed are removed. The host resolves their dependencies."
    value={packages}
    set={(text) => set({ packages: text })}
  />
)

interface MountRowProps {
  readonly mount: Mount
  readonly set: (part: Partial<Mount>) => void
  readonly remove: () => void
}

const MountRow = ({ mount, set, remove }: MountRowProps) => (
  <fieldset>
    <legend>Mount</legend>
    <div class="pair">
      <TextField label="On the host" required pattern="/.*" value={mount.source} set={(source) => set({ source })} />
      <TextField label="In the sandbox" required pattern="/mnt/.+" value={mount.target} set={(target) => set({ target })} />
    </div>
    <label class="choice">
      <input type="checkbox" checked={mount.mode === 'rw'} onChange={(event) => set({ mode: event.currentTarget.checked ? 'rw' : 'ro' })} />{' '}
      The agent may write there
    </label>
    <button type="button" class="quiet small" onClick={remove}>
      Remove
    </button>
  </fieldset>
)

export const MountFields = ({ draft: { mounts }, set }: FieldsProps) => (
  <>
    {mounts.map((mount, place) => (
      <MountRow
        key={place}
        mount={mount}
        set={(part) => set({ mounts: mounts.with(place, { ...mount, ...part }) })}
        remove={() => set({ mounts: mounts.toSpliced(place, 1) })}
      />
    ))}
    <button type="button" class="quiet" onClick={() => set({ mounts: [...mounts, { source: '', target: '/mnt/', mode: 'ro' }] })}>
      Add mount
    </button>
  </>
)
