// The address of the page: read, watched and changed without a load. Filters are part of it.
import { useEffect, useState } from 'preact/hooks'

interface Place {
  /** First segment below /ui/; empty for the start. */
  readonly page: string
  readonly rest: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

export interface Target {
  readonly page: string
  readonly rest?: readonly string[] | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
}

const base = '/ui/'

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const readPlace = (path: string, search: string): Place => {
  const [page = '', ...rest] = path
    .slice(base.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded)
  return { page, rest, query: Object.fromEntries(new URLSearchParams(search)) }
}

export const hrefOf = ({ page, rest = [], query = {} }: Target): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  const search = new URLSearchParams(given).toString()
  return `${base}${[page, ...rest].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

const watchers = new Set<() => void>()
const read = (): Place => readPlace(location.pathname, location.search)
let now = read()

const moved = (): void => {
  now = read()
  for (const act of watchers) act()
}
addEventListener('popstate', moved)

const currentPlace = (): Place => now

const watchPlace = (act: () => void): (() => void) => {
  watchers.add(act)
  return () => watchers.delete(act)
}

/** `replace`: without a step for the back button. */
export const go = (target: Target, { replace = false }: { readonly replace?: boolean } = {}): void => {
  const href = hrefOf(target)
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  moved()
}

export const usePlace = (): Place => {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    setPlace(currentPlace())
    return watchPlace(() => setPlace(currentPlace()))
  }, [])
  return place
}

/** One filter of the address. Choosing adds a step for the back button, typing adds none. */
export const useFilter = (name: string, how: 'chosen' | 'typed' = 'chosen'): readonly [string, (value: string) => void] => {
  const { query } = usePlace()
  const set = (value: string): void => {
    const { page, rest, query: present } = currentPlace()
    go({ page, rest, query: { ...present, [name]: value } }, { replace: how === 'typed' })
  }
  return [query[name] ?? '', set]
}
