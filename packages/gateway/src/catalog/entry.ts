// Rules for a catalog entry beyond its schema, and masking of its secret values.
import { type CatalogEntry, checkServerUrl, type FieldIssue, mask, toPointer } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import { invalid } from '../input.ts'
import { getIdentity } from '../state/catalog.ts'

interface Field {
  readonly pointer: string
  readonly text: string
}

/** Fields that are used without expansion. */
const plainFields = (entry: CatalogEntry): Field[] => {
  if (entry.transport === 'http') return []
  return [
    { pointer: '/command', text: entry.command },
    ...entry.args.map((text, index) => ({ pointer: `/args/${index}`, text })),
    { pointer: '/image', text: entry.image ?? '' },
    ...(entry.volumes ?? []).map(({ source }, index) => ({ pointer: `/volumes/${index}/source`, text: source })),
  ]
}

/** Fields in which `${NAME}` is expanded by the broker. */
const expandedFields = (entry: CatalogEntry): Field[] => {
  const [field, values] = entry.transport === 'http' ? (['headers', entry.headers] as const) : (['env', entry.env] as const)
  return Object.entries(values).map(([name, text]) => ({ pointer: toPointer([field, name]), text }))
}

const issuesWhere = (fields: readonly Field[], wrong: (text: string) => boolean, detail: string): FieldIssue[] =>
  fields.filter(({ text }) => wrong(text)).map(({ pointer }) => ({ pointer, detail }))

const urlIssues = (entry: CatalogEntry): FieldIssue[] => {
  const reason = entry.transport === 'http' ? checkServerUrl(entry.url) : null
  return reason === null ? [] : [{ pointer: '/url', detail: reason }]
}

export const referenceHint = '${NAME} is only expanded in the values of env and headers: put it there'

/** Both would set the same header. */
const headerIssues = (entry: CatalogEntry): FieldIssue[] => {
  if (entry.transport !== 'http' || entry.auth === undefined) return []
  const names = Object.keys(entry.headers).filter((name) => name.toLowerCase() === 'authorization')
  return names.map((name) => ({
    pointer: toPointer(['headers', name]),
    detail: 'cannot be used together with auth, which sets this header',
  }))
}

export const checkEntry = (entry: CatalogEntry): FieldIssue[] => {
  const plain = plainFields(entry)
  const expanded = expandedFields(entry)
  const headers = entry.transport === 'http' ? expanded : []
  return [
    ...urlIssues(entry),
    ...headerIssues(entry),
    ...issuesWhere(
      plain,
      (text) => text.includes('${'),
      '${NAME} cannot be used here: it is only expanded in the values of env and headers',
    ),
    ...issuesWhere([...plain, ...expanded], (text) => text.includes('\0'), 'must not contain a NUL character'),
    ...issuesWhere(headers, (text) => /[\r\n]/.test(text), 'a header value must be a single line'),
  ]
}

export const namesReference = (entry: CatalogEntry): boolean =>
  plainFields(entry).some(({ text }) => text.includes('${')) || (entry.transport === 'http' && entry.url.includes('${'))

type Values = Readonly<Record<string, string>>

const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

const mapValues = (values: Values, change: (value: string, name: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

const getSecrets = (entry: CatalogEntry): { field: 'env' | 'headers'; values: Values } =>
  entry.transport === 'http' ? { field: 'headers', values: entry.headers } : { field: 'env', values: entry.env }

const withSecrets = (entry: CatalogEntry, values: Record<string, string>): CatalogEntry =>
  entry.transport === 'http' ? { ...entry, headers: values } : { ...entry, env: values }

/** Masks secret values. A bare `${NAME}` is not a secret and stays. */
export const maskEntry = (entry: CatalogEntry): CatalogEntry =>
  withSecrets(
    entry,
    mapValues(getSecrets(entry).values, (value) => (reference.test(value) ? value : mask)),
  )

/** Identifies the recipient of stored values: the same program, or the same origin. */
const getRecipient = (entry: CatalogEntry): string =>
  canonical(entry.transport === 'http' ? { transport: 'http', origin: new URL(entry.url).origin } : getIdentity(entry))

const unmaskIssues = (entry: CatalogEntry, stored: CatalogEntry | undefined): FieldIssue[] => {
  const { field, values } = getSecrets(entry)
  const masked = Object.keys(values).filter((name) => values[name] === mask)
  const isSame = stored !== undefined && getRecipient(stored) === getRecipient(entry)
  const known = isSame ? getSecrets(stored).values : {}
  return masked
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => ({
      pointer: toPointer([field, name]),
      detail: isSame ? 'no value is stored under this name: enter it' : 'the server differs from the stored one: enter the value again',
    }))
}

/** Replaces masks by the stored values. Throws `invalid` with each field whose value must be entered again. */
export const unmaskEntry = (entry: CatalogEntry, stored: CatalogEntry | undefined): CatalogEntry => {
  const issues = unmaskIssues(entry, stored)
  if (issues.length > 0)
    throw invalid(issues, 'a masked value is only kept while transport, command, args, image and the origin of the URL stay the same')
  const storedValues = stored === undefined ? {} : getSecrets(stored).values
  return withSecrets(
    entry,
    mapValues(getSecrets(entry).values, (value, name) => (value === mask ? (storedValues[name] ?? value) : value)),
  )
}
