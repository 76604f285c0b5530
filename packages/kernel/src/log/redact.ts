// Makes a plain copy of log fields without what may be secret. Judges by the name of a key, never by the value.

export const redacted = '[redacted]'
const deepest = 8

const names = new Set(['token', 'authorization', 'secret', 'password', 'key', 'cookie', 'header', 'env', 'argument'])
const known = new Map<string, boolean>()

/** The last word of a name decides: `apiKey`, `set-cookie` and `TOKENS` are secret, `keyPath` is not. */
export const isSecretName = (name: string): boolean => {
  const cached = known.get(name)
  if (cached !== undefined) return cached
  const last = /(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)$/.exec(name)?.[0].toLowerCase() ?? ''
  const answer = names.has(last) || (last.endsWith('s') && names.has(last.slice(0, -1)))
  if (known.size < 1024) known.set(name, answer)
  return answer
}

/** A number or a boolean under such a name is a count or a state, not a secret. */
const hides = (name: string, value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'number' && typeof value !== 'boolean' && isSecretName(name)

const plainError = (error: Error): Record<string, unknown> => ({
  ...error,
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause === undefined ? {} : { cause: error.cause }),
})

const copy = (value: object, above: readonly object[]): unknown => {
  if (above.includes(value)) return '[circular]'
  if (above.length >= deepest) return '[deep]'
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Date) return value
  const within = [...above, value]
  if (Array.isArray(value)) return value.map((item) => plain(item, within))
  const source = value instanceof Error ? plainError(value) : value
  const out: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(source)) out[name] = hides(name, item) ? redacted : plain(item, within)
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
