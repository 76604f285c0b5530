// What leaves the gateway for a person: a sealed value is a mask. A text that only looks sealed stays, so that nothing
// can hide behind the mask.
import { type Change, mask } from '@gatehouse/contracts'
import type { Secrets } from './secrets.ts'

type Owner = Pick<Secrets, 'owns'>

const masked = (secrets: Owner, value: unknown): unknown => {
  if (typeof value === 'string') return secrets.owns(value) ? mask : value
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.map((item) => masked(secrets, item)) : maskDetail(secrets, { ...value })
}

/** For the detail of a journal line. */
export const maskDetail = (secrets: Owner, detail: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, masked(secrets, value)]))

/** Kinds whose `after` may hold a secret. */
const secretive: ReadonlySet<Change['kind']> = new Set(['mcp_register'])

/** Takes whatever holds `after` and `diff` of a change, such as a preview with its kind. */
export const maskChange = <C extends Pick<Change, 'kind' | 'diff'> & { readonly after?: Change['after'] }>(
  secrets: Owner,
  change: C,
): C => {
  if (!secretive.has(change.kind)) return change
  return {
    ...change,
    ...(change.after === undefined ? {} : { after: maskDetail(secrets, change.after) }),
    diff: change.diff.map((operation) => ({ ...operation, value: masked(secrets, operation.value) })),
  }
}
