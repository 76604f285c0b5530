// Takes the flags of a table out of an argument list. Refuses what it does not know.
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import type { SettingsTable } from './settings.ts'

export type Flags = ReadonlyMap<string, string | boolean>

const expected = (table: SettingsTable): string =>
  Object.values(table)
    .flatMap((row) => (row.flag === undefined ? [] : [`--${row.flag}`]))
    .join(' ')

/** Every message names the argument that was not understood, never a value. */
const refuse = (detail: string, table: SettingsTable): Refusal =>
  new Refusal(exits.configuration, { detail, hint: `the flags are: ${expected(table)}` })

export const readFlags = (table: SettingsTable, argv: readonly string[]): Flags => {
  const rows = new Map(Object.values(table).flatMap((row) => (row.flag === undefined ? [] : [[row.flag, row] as const])))
  const options = Object.fromEntries(
    [...rows].map(([flag, row]) => [flag, { type: row.type === 'boolean' ? ('boolean' as const) : ('string' as const) }]),
  )
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, allowNegative: true, tokens: true })
  const flags = new Map<string, string | boolean>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') throw refuse('expected flags alone, got an argument that is none', table)
    const negated = token.rawName.startsWith('--no-') && !rows.has(token.name)
    const row = rows.get(negated ? token.name.replace(/^no-/, '') : token.name)
    const no = negated || token.rawName === `--no-${token.name}`
    if (row?.flag === undefined || !token.rawName.startsWith('--') || (no && row.type !== 'boolean')) {
      throw refuse(`expected a flag that exists, got ${token.rawName}`, table)
    }
    if (row.type === 'boolean') {
      if (token.value !== undefined) throw refuse(`expected --${row.flag} without a value, got one`, table)
      flags.set(row.flag, !no)
    } else {
      if (!token.value || (!token.inlineValue && token.value.startsWith('-')))
        throw refuse(`expected a value after --${row.flag}, got none`, table)
      flags.set(row.flag, token.value)
    }
  }
  return flags
}
