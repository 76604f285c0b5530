// Values of variables and headers never leave the gateway but to the broker; a mask sent back keeps what is stored.
import { type CatalogEntry, type FieldIssue, mask } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import { invalid, token } from '../input/parse.ts'
import { identityOf } from './identity.ts'

type Values = Readonly<Record<string, string>>

const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/

const mapValues = (values: Values, change: (value: string, name: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))

const secretsOf = (entry: CatalogEntry): { field: 'env' | 'headers'; values: Values } =>
  entry.transport === 'http' ? { field: 'headers', values: entry.headers } : { field: 'env', values: entry.env }

const withSecrets = (entry: CatalogEntry, values: Record<string, string>): CatalogEntry =>
  entry.transport === 'http' ? { ...entry, headers: values } : { ...entry, env: values }

/** A bare `${NAME}` is no secret and stays. */
export const maskEntry = (entry: CatalogEntry): CatalogEntry =>
  withSecrets(
    entry,
    mapValues(secretsOf(entry).values, (value) => (reference.test(value) ? value : mask)),
  )

/** What a stored value may be handed on to: the same program, or the same origin. */
const recipient = (entry: CatalogEntry): string =>
  canonical(entry.transport === 'http' ? { transport: 'http', origin: new URL(entry.url).origin } : identityOf(entry))

const unkept = (entry: CatalogEntry, stored: CatalogEntry | undefined): FieldIssue[] => {
  const { field, values } = secretsOf(entry)
  const masked = Object.keys(values).filter((name) => values[name] === mask)
  const same = stored !== undefined && recipient(stored) === recipient(entry)
  const known = same ? secretsOf(stored).values : {}
  return masked
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => ({
      pointer: `/${field}/${token(name)}`,
      detail: same ? 'no value is stored under this name: enter it' : 'the server is another than the stored one: enter the value again',
    }))
}

/** Puts stored values in place of masks. Throws `invalid` naming each field whose value must be entered again. */
export const unmaskEntry = (entry: CatalogEntry, stored: CatalogEntry | undefined): CatalogEntry => {
  const issues = unkept(entry, stored)
  if (issues.length > 0)
    throw invalid(issues, 'a masked value is kept only while transport, command, args, image and the origin of the url stay')
  const kept = stored === undefined ? {} : secretsOf(stored).values
  return withSecrets(
    entry,
    mapValues(secretsOf(entry).values, (value, name) => (value === mask ? (kept[name] ?? value) : value)),
  )
}
