// The values of a catalog entry that are secret: those of variables and headers, but for a bare `${NAME}`.

type Json = Record<string, unknown>

const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/
const fields = ['env', 'headers'] as const

const isReference = (value: string): boolean => reference.test(value)

const throughAll = (values: unknown, through: (value: string) => string): unknown => {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' && !isReference(value) ? through(value) : value]),
  )
}

/** The same entry with each secret value put through a function. What is no entry stays as it is. */
export const throughValues = (entry: Json, through: (value: string) => string): Json => ({
  ...entry,
  ...Object.fromEntries(fields.filter((field) => field in entry).map((field) => [field, throughAll(entry[field], through)])),
})
