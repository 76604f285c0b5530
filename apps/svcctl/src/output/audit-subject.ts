// What a line of the audit log is about, besides its change and its group: the server, the token, the session, the file.
import { type AuditEntry, isObject } from '@gatehouse/contracts'

type Line = Pick<AuditEntry, 'stage' | 'agentGroupID' | 'detail'>

/** Where details name it; the first that a line has counts. */
const paths = [
  'server',
  'name',
  'session',
  'path',
  'token.name',
  'change.after.server',
  'change.after.address',
  'change.after.name',
  'effect.grant.server',
  'effect.wired.address',
  'effect.address',
  'effect.name',
  'driver',
  'kept',
  'fault',
].map((path) => path.split('.'))

const memberAt = (detail: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), detail)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const listed = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .map((item: unknown) => (isObject(item) ? item['name'] : item))
        .filter(isText)
        .join(', ')
    : ''

/** By stage, where no single member says it. */
const special: Readonly<Record<string, (line: Line) => string>> = {
  'catalog-reload': ({ detail }) => listed(detail['entries']),
  'auth-failed': ({ detail }) =>
    listed(detail['tokens']) ||
    ['missing', 'unknown', 'expired']
      .filter((name) => Number(detail[name] ?? 0) > 0)
      .map((name) => `${name} ${String(detail[name])}`)
      .join(', '),
  freeze: ({ agentGroupID }) => (agentGroupID === undefined ? 'the whole unit' : ''),
  unfreeze: ({ agentGroupID, detail }) => (agentGroupID === undefined && !isText(detail['agentGroupID']) ? 'the whole unit' : ''),
}

/** Empty where the other columns say it all. */
export const auditSubject = (line: Line): string => {
  const own = special[line.stage]
  if (own !== undefined) return own(line)
  return paths.map((path) => memberAt(line.detail, path)).find(isText) ?? ''
}
