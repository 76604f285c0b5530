// Makes a plain copy of log fields without what may be secret. Judges by the name of a key, never by the value.

const redacted = '[redacted]'
const deepest = 8

/** Secret as the whole last word of a name. */
const words = new Set(['key', 'header', 'env', 'argument'])
/** Secret as the end of a name. */
const ends = ['token', 'authorization', 'secret', 'password', 'cookie', 'apikey']
const known = new Map<string, boolean>()

/** The end of a name decides, in singular or plural: `apiKey`, `set-cookie` and `TOKENS` are secret, `keyPath` and `monkey` are not. */
const isSecretName = (name: string): boolean => {
  const cached = known.get(name)
  if (cached !== undefined) return cached
  const singular = /s$/i.test(name) ? name.slice(0, -1) : name
  const last = /(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)$/.exec(singular)?.[0].toLowerCase() ?? ''
  const answer = words.has(last) || ends.some((end) => singular.toLowerCase().endsWith(end))
  if (known.size < 1024) known.set(name, answer)
  return answer
}

/** A number or a boolean under such a name is a count or a state, not a secret. */
const hides = (name: string, value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'number' && typeof value !== 'boolean' && isSecretName(name)

/** Most members of an error are not enumerable. */
const membersOf = (value: object): [string, unknown][] => {
  const members = Object.entries(value)
  if (!(value instanceof Error)) return members
  const { name, message, stack, cause } = value
  return Object.entries({ name, message, stack, ...Object.fromEntries(members), ...(cause === undefined ? {} : { cause }) })
}

const copy = (value: object, above: readonly object[]): unknown => {
  if (above.includes(value)) return '[circular]'
  if (above.length >= deepest) return '[deep]'
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Date) return value
  const within = [...above, value]
  if (Array.isArray(value)) return value.map((item) => plain(item, within))
  const out: Record<string, unknown> = {}
  for (const [name, item] of membersOf(value)) out[name] = hides(name, item) ? redacted : plain(item, within)
  return out
}

const plain = (value: unknown, above: readonly object[]): unknown => {
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') return '[function]'
  return typeof value === 'object' && value !== null ? copy(value, above) : value
}

export const redact = (fields: object): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) out[name] = hides(name, value) ? redacted : plain(value, [fields])
  return out
}
