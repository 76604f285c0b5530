// Reads the arguments of `pnpm test`.
import { parseArgs } from 'node:util'
import type { Check } from './check.ts'

export interface Flags {
  readonly full: boolean
  readonly chosen: readonly Check[]
}

/** Throws a message for people when an argument is not understood. */
export const readFlags = (argv: readonly string[], checks: readonly Check[]): Flags => {
  const args = argv.filter((argument, index) => !(index === 0 && argument === '--'))
  const { values } = parseArgs({ args, options: { full: { type: 'boolean', default: false }, only: { type: 'string' } } })
  if (values.only === undefined) return { full: values.full, chosen: checks }
  const names = values.only.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !checks.some((check) => check.name === name))
  if (unknown.length > 0)
    throw new Error(`unknown check "${unknown.join(', ')}"; there are ${checks.map((check) => check.name).join(', ')}`)
  return { full: values.full, chosen: checks.filter((check) => names.includes(check.name)) }
}
