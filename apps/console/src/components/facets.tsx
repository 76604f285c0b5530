// Filters as chips: values complete while the reader types, and all of them are part of the address.
import { visible } from '@gatehouse/contracts'
import { useId, useState } from 'preact/hooks'
import { go, usePlace } from '../router/router.ts'
import { Untrusted } from './elements.tsx'
import { Icon } from './icon.tsx'

export interface Facet {
  /** Its name in the address. */
  readonly name: string
  readonly label: string
  readonly values: readonly string[]
  /** A value typed as `label:value` is taken even if it is not in the list. */
  readonly isOpen?: true
}

interface Option {
  readonly name: string
  readonly label: string
  readonly value: string
}

/** Filter by words: its chip has no label. */
const wordsName = 'find'
const most = 10

const optionsFor = (facets: readonly Facet[], typed: string): readonly Option[] => {
  const words = typed
    .toLowerCase()
    .split(/[\s:]+/u)
    .filter((word) => word !== '')
  const all = facets.flatMap(({ name, label, values }) => values.map((value): Option => ({ name, label, value })))
  const matches = all.filter(({ label, value }) => words.every((word) => `${label} ${value}`.toLowerCase().includes(word)))
  const open = facets.flatMap(({ name, label, values, isOpen }): Option[] => {
    const value = typed.toLowerCase().startsWith(`${label.toLowerCase()}:`) ? typed.slice(label.length + 1).trim() : ''
    return isOpen === true && value !== '' && !values.includes(value) ? [{ name, label, value }] : []
  })
  const text = typed.trim()
  return [...open, ...matches.slice(0, most), ...(text === '' ? [] : [{ name: wordsName, label: 'Contains', value: text }])]
}

const Chips = ({ facets, set }: { readonly facets: readonly Facet[]; readonly set: (name: string, value: string) => void }) => {
  const { query } = usePlace()
  const chips = [...facets, { name: wordsName, label: 'Contains' }].flatMap(({ name, label }) =>
    query[name] === undefined || query[name] === '' ? [] : [{ name, label, value: query[name] }],
  )
  return (
    <>
      {chips.map(({ name, label, value }) => (
        <span key={name} class="chip">
          {label}: <Untrusted text={value} />
          <button type="button" class="bare" aria-label={`Remove filter ${label}: ${visible(value)}`} onClick={() => set(name, '')}>
            <Icon name="close" />
          </button>
        </span>
      ))}
    </>
  )
}

interface FacetsProps {
  readonly facets: readonly Facet[]
  readonly placeholder: string
}

interface OptionListProps {
  readonly id: string
  readonly options: readonly Option[]
  readonly chosen: number
  readonly isOpen: boolean
  readonly take: (option: Option) => void
}

const OptionList = ({ id, options, chosen, isOpen, take }: OptionListProps) => (
  <ul id={id} class="facet-options" role="listbox" aria-label="Filters that match" hidden={!isOpen || options.length === 0}>
    {options.map((option, index) => (
      <li
        key={`${option.name} ${option.value}`}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === chosen}
        onMouseDown={(event) => {
          event.preventDefault()
          take(option)
        }}
      >
        <span class="soft">{option.label}:</span> <Untrusted text={option.value} />
      </li>
    ))}
  </ul>
)

/** What is typed, which option is chosen, and what the keys do. */
const useFacetInput = ({ facets }: Pick<FacetsProps, 'facets'>) => {
  const { page, rest, query } = usePlace()
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const options = optionsFor(facets, typed)
  const set = (name: string, value: string): void => go({ page, rest, query: { ...query, [name]: value } })
  const type = (text: string): void => {
    setTyped(text)
    setChosen(0)
    setOpen(true)
  }
  const take = (option: Option): void => {
    type('')
    setOpen(false)
    set(option.name, option.value)
  }
  const removeLast = (): void => {
    const last = [...facets.map(({ name }) => name), wordsName].findLast((name) => (query[name] ?? '') !== '')
    if (last !== undefined) set(last, '')
  }
  const onKey = (event: KeyboardEvent): void => {
    const option = options[chosen]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      setChosen(Math.min(Math.max(chosen + (event.key === 'ArrowDown' ? 1 : -1), 0), Math.max(options.length - 1, 0)))
    } else if (event.key === 'Enter' && isOpen && option !== undefined) {
      event.preventDefault()
      take(option)
    } else if (event.key === 'Escape') setOpen(false)
    else if (event.key === 'Backspace' && typed === '') removeLast()
  }
  return { typed, isOpen, chosen, options, set, type, take, onKey, setOpen }
}

export const Facets = ({ facets, placeholder }: FacetsProps) => {
  const id = useId()
  const { typed, isOpen, chosen, options, set, type, take, onKey, setOpen } = useFacetInput({ facets })
  return (
    <div class="facets" role="search" aria-label="Filters">
      <Icon name="search" />
      <Chips facets={facets} set={set} />
      <div class="facet-input">
        <input
          type="text"
          role="combobox"
          data-filter
          aria-label="Filter"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && options.length > 0 ? `${id}-${chosen}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={typed}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <OptionList id={id} options={options} chosen={chosen} isOpen={isOpen} take={take} />
      </div>
    </div>
  )
}

/** Each value once, in the order of its first use. */
export const distinctValues = <T,>(items: readonly T[], pick: (item: T) => string | undefined | null): readonly string[] => [
  ...new Set(items.flatMap((item) => pick(item) ?? [])),
]
