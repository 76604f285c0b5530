// Which model a group asks: provider and name.
import { modelProviders } from '@gatehouse/contracts'

export interface Model {
  readonly provider: string
  readonly id: string
}

export const ModelFields = ({ model, change }: { readonly model: Model; readonly change: (model: Model) => void }) => (
  <div class="pair">
    <label class="field">
      Provider
      <select value={model.provider} onChange={(event) => change({ ...model, provider: event.currentTarget.value })}>
        {modelProviders.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label class="field">
      Model
      <input value={model.id} required maxLength={128} onInput={(event) => change({ ...model, id: event.currentTarget.value })} />
    </label>
  </div>
)
