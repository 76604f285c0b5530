// A choice among few that stands in the address.
import { useFilter } from '../router/use-place.ts'

interface SelectFilterProps {
  readonly name: string
  readonly label: string
  readonly choices: readonly string[]
}

export const SelectFilter = ({ name, label, choices }: SelectFilterProps) => {
  const [value, setValue] = useFilter(name)
  const all = value === '' || choices.includes(value) ? choices : [value, ...choices]
  return (
    <label class="field">
      {label}
      <select data-filter value={value} onChange={(event) => setValue(event.currentTarget.value)}>
        <option value="">all</option>
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  )
}
