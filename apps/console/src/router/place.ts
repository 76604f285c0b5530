// Where the reader is, as the address says it: a page, what follows it, and the filters. Changed without a load.

export interface Place {
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

export const readPlace = (path: string, search: string): Place => {
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
