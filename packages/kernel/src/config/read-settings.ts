// Settings from flags, variables and `_FILE` twins, in this order of strength: flag, variable or file, default.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { type Flags, readFlags } from './flags.ts'
import { readSecret } from './read-secret.ts'
import type { BooleanSetting, ChoiceSetting, Origin, Setting, Settings, SettingsInput, SettingsTable } from './settings.ts'

interface Found {
  readonly value: string | boolean | undefined
  readonly origin: Origin
  readonly warning?: string | undefined
}

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

const truths: Readonly<Record<string, boolean>> = {
  '1': true,
  true: true,
  yes: true,
  on: true,
  '0': false,
  false: false,
  no: false,
  off: false,
}

const toBoolean = (row: BooleanSetting, text: string): boolean => {
  const value = Object.hasOwn(truths, text.toLowerCase()) ? truths[text.toLowerCase()] : undefined
  if (value === undefined) throw refuse(`expected ${row.env} to be 1 or 0, got ${JSON.stringify(text)}`, `unset ${row.env}, or set it to 1`)
  return value
}

const checkChoice = (row: ChoiceSetting, name: string, value: string): string => {
  if (row.choices.includes(value)) return value
  throw refuse(
    `expected ${name} to be one of ${row.choices.join(', ')}, got ${JSON.stringify(value)}`,
    `choose one of ${row.choices.join(', ')}`,
  )
}

const find = (row: Setting, flags: Flags, env: SettingsInput['env']): Found => {
  const flag = row.flag === undefined ? undefined : flags.get(row.flag)
  if (flag !== undefined) {
    return { value: row.type === 'choice' ? checkChoice(row, `--${row.flag}`, String(flag)) : flag, origin: 'flag' }
  }
  if (row.type === 'string' && row.secret === true) return readSecret(row.env, env) ?? { value: row.default, origin: 'default' }
  const text = env[row.env]
  if (text === undefined || text === '') return { value: row.default ?? (row.type === 'boolean' ? false : undefined), origin: 'default' }
  if (row.type === 'boolean') return { value: toBoolean(row, text), origin: 'env' }
  return { value: row.type === 'choice' ? checkChoice(row, row.env, text) : text, origin: 'env' }
}

const refuseUnknown = (table: SettingsTable, input: SettingsInput): void => {
  const { prefix } = input
  if (prefix === undefined) return
  const rows = Object.values(table)
  const known = new Set([
    ...rows.map((row) => row.env),
    ...rows.map((row) => ('secret' in row ? `${row.env}_FILE` : row.env)),
    ...(input.foreign ?? []),
  ])
  const unknown = Object.keys(input.env).filter((name) => name.startsWith(prefix) && !known.has(name))
  if (unknown.length === 0) return
  throw refuse(`expected variables that have a meaning, got ${unknown.join(', ')}`, `unset ${unknown.join(' and ')}`)
}

/** Reads nothing but its arguments and the files that they name. `Refusal` 78 says what was expected and what was got. */
export const readSettings = <const T extends SettingsTable>(table: T, input: SettingsInput): Settings<T> => {
  refuseUnknown(table, input)
  const flags = readFlags(table, input.argv)
  const found = Object.entries<Setting>(table).map(([name, row]) => [name, find(row, flags, input.env)] as const)
  const part = (pick: (item: Found) => unknown): object => Object.fromEntries(found.map(([name, item]) => [name, pick(item)]))
  return {
    values: part((item) => item.value) as Settings<T>['values'],
    origins: part((item) => item.origin) as Settings<T>['origins'],
    warnings: found.flatMap(([, item]) => (item.warning === undefined ? [] : [item.warning])),
  }
}
