// Which model a group asks: provider and name.
import { modelProviders } from '@gatehouse/contracts'
import { Line } from '../../parts/text-fields.tsx'
import { ChoiceField } from './choice-field.tsx'

export interface Model {
  readonly provider: string
  readonly id: string
}

export const ModelFields = ({ model, change }: { readonly model: Model; readonly change: (model: Model) => void }) => (
  <div class="pair">
    <ChoiceField label="Provider" choices={modelProviders} value={model.provider} set={(provider) => change({ ...model, provider })} />
    <Line label="Model" required maxLength={128} value={model.id} set={(id) => change({ ...model, id })} />
  </div>
)
