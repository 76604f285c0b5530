// Rules for a catalog entry beyond its schema, each with the field that breaks it.
import { type CatalogEntry, checkServerUrl, type FieldIssue } from '@gatehouse/contracts'
import { token } from '../input/parse.ts'

interface Field {
  readonly pointer: string
  readonly text: string
}

/** Fields that are used as they stand. */
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
  return Object.entries(values).map(([name, text]) => ({ pointer: `/${field}/${token(name)}`, text }))
}

const issuesWhere = (fields: readonly Field[], wrong: (text: string) => boolean, detail: string): FieldIssue[] =>
  fields.filter(({ text }) => wrong(text)).map(({ pointer }) => ({ pointer, detail }))

const urlIssues = (entry: CatalogEntry): FieldIssue[] => {
  const reason = entry.transport === 'http' ? checkServerUrl(entry.url) : null
  return reason === null ? [] : [{ pointer: '/url', detail: reason }]
}

export const referenceHint = '${NAME} is expanded in the values of env and headers alone: put it there'

export const checkEntry = (entry: CatalogEntry): FieldIssue[] => {
  const plain = plainFields(entry)
  const expanded = expandedFields(entry)
  const headers = entry.transport === 'http' ? expanded : []
  return [
    ...urlIssues(entry),
    ...issuesWhere(plain, (text) => text.includes('${'), 'expected no ${NAME} here: it is expanded in the values of env and headers alone'),
    ...issuesWhere([...plain, ...expanded], (text) => text.includes('\0'), 'expected text without NUL'),
    ...issuesWhere(headers, (text) => /[\r\n]/.test(text), 'expected a header value of one line'),
  ]
}

export const namesReference = (entry: CatalogEntry): boolean =>
  plainFields(entry).some(({ text }) => text.includes('${')) || (entry.transport === 'http' && entry.url.includes('${'))
