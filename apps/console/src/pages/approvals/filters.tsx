// What the list of changes is narrowed to, as the address says it.
import { kindNames } from '@gatehouse/contracts'
import { useFilter } from '../../router/use-place.ts'

const names = ['group', 'kind', 'risk', 'by', 'state']
const states = ['applied', 'rejected', 'refused', 'withdrawn', 'expired', 'approved', 'apply_failed']
const risks = ['low', 'medium', 'high']

export const isFiltered = (query: Readonly<Record<string, string>>): boolean => names.some((name) => (query[name] ?? '') !== '')

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly values: readonly string[]
}

const Choice = ({ name, label, values }: ChoiceProps) => {
  const [value, set] = useFilter(name)
  return (
    <label class="field">
      {label}
      <select value={value} data-filter onChange={(event) => set(event.currentTarget.value)}>
        <option value="">any</option>
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

const Text = ({ name, label }: { readonly name: string; readonly label: string }) => {
  const [value, set] = useFilter(name, 'typed')
  return (
    <label class="field">
      {label}
      <input type="search" value={value} maxLength={128} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  )
}

export const Filters = ({ which }: { readonly which: 'waiting' | 'decided' }) => (
  <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
    <Text name="group" label="Agent group" />
    <Choice name="kind" label="Kind" values={kindNames} />
    <Choice name="risk" label="Risk" values={risks} />
    <Text name="by" label="Asked by" />
    {which === 'decided' && <Choice name="state" label="State" values={states} />}
  </form>
)
