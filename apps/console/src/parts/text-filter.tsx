// A filter that is typed and stands in the address once the typing rests.
import { useEffect, useState } from 'preact/hooks'
import { useFilter } from '../router/use-place.ts'

interface TextFilterProps {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
}

const rest = 300

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
