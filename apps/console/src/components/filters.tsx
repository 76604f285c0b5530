// Filters that are part of the address, so that links and the back button keep them.
import { useEffect, useState } from 'preact/hooks'
import { useFilter } from '../router/router.ts'

interface TextFilterProps {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
}

const rest = 300

/** A typed filter. It enters the address 300 ms after the last key. */
export const TextFilter = ({ name, label, placeholder }: TextFilterProps) => {
  const [value, setValue] = useFilter(name, 'typed')
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => setValue(text.trim()), rest)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label class="field">
      {label}
      <input type="search" data-filter value={text} placeholder={placeholder} onInput={(event) => setText(event.currentTarget.value)} />
    </label>
  )
}

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
