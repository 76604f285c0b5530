// Reads the arguments of `pnpm test`.
import { parseArgs } from 'node:util'
import type { Check } from './check.ts'
import type { Selection } from './select-tests.ts'

export interface Flags {
  readonly full: boolean
  readonly chosen: readonly Check[]
  readonly selection: Selection
}

const options = {
  full: { type: 'boolean', default: false },
  rest: { type: 'boolean', default: false },
  unit: { type: 'boolean', default: false },
  changed: { type: 'boolean', default: false },
  only: { type: 'string' },
} as const

/** The tests of both profiles, where they are named, affected by a change, or run in full. */
const chooseProfile = (everything: boolean, rest: boolean): Pick<Selection, 'profile'> =>
  rest ? { profile: 'rest' } : everything ? {} : { profile: 'default' }

/** With patterns, `--changed` or `--rest`, only the build and the selected tests; with `--unit` only tests. Throws a message for people when an argument is not understood. */
export const readFlags = (argv: readonly string[], checks: readonly Check[]): Flags => {
  const args = argv.filter((argument, index) => !(index === 0 && argument === '--'))
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { full, changed, rest, unit } = values
  const selected = positionals.length > 0 || changed
  const selection = { ...chooseProfile(selected || full, rest), ...(unit && { unit }), patterns: positionals, changed }
  const only = values.only ?? (unit ? 'tests' : selected || rest ? 'build,tests' : undefined)
  if (only === undefined) return { full, chosen: checks, selection }
  const names = only.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !checks.some((check) => check.name === name))
  if (unknown.length > 0)
    throw new Error(`unknown check "${unknown.join(', ')}"; there are ${checks.map((check) => check.name).join(', ')}`)
  return { full, chosen: checks.filter((check) => names.includes(check.name)), selection }
}
