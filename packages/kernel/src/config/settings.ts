// Settings from flags, variables and `_FILE` twins, in this order of strength: flag, variable or file, default.
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { readSecret } from './read-secret.ts'

export type Flags = ReadonlyMap<string, string | boolean>

const expected = (table: SettingsTable): string =>
  Object.values(table)
    .flatMap((row) => (row.flag === undefined ? [] : [`--${row.flag}`]))
    .join(' ')

/** Every message names the argument that was not understood, never a value. */
const refuse = (detail: string, table: SettingsTable): Refusal =>
  new Refusal(exits.configuration, { detail, hint: `the flags are: ${expected(table)}` })

/** Flags of the table from an argument list. Throws a `Refusal` for any other argument. */
const readFlags = (table: SettingsTable, argv: readonly string[]): Flags => {
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

interface Found {
  readonly value: unknown
  readonly origin: Origin
  readonly warning?: string | undefined
}

const refuseValue = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

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
  if (value === undefined)
    throw refuseValue(`expected ${row.env} to be 1 or 0, got ${JSON.stringify(text)}`, `unset ${row.env}, or set it to 1`)
  return value
}

const checkChoice = (row: ChoiceSetting, name: string, value: string): string => {
  if (row.choices.includes(value)) return value
  throw refuseValue(
    `expected ${name} to be one of ${row.choices.join(', ')}, got ${JSON.stringify(value)}`,
    `choose one of ${row.choices.join(', ')}`,
  )
}

/** The value that a text stands for. */
const readText = (row: StringSetting | ChoiceSetting, name: string, text: string): unknown =>
  row.type === 'choice' ? checkChoice(row, name, text) : row.parse === undefined ? text : row.parse(text)

const findDefault = (row: Setting): Found => {
  if (row.type === 'boolean') return { value: row.default ?? false, origin: 'default' }
  return { value: row.default === undefined ? undefined : readText(row, row.env, row.default), origin: 'default' }
}

const find = (row: Setting, flags: Flags, env: SettingsInput['env']): Found => {
  const flag = row.flag === undefined ? undefined : flags.get(row.flag)
  if (flag !== undefined) {
    return { value: row.type === 'boolean' ? flag : readText(row, `--${row.flag}`, String(flag)), origin: 'flag' }
  }
  if (row.type === 'string' && row.secret === true) return readSecret(row.env, env) ?? { value: row.default, origin: 'default' }
  const text = env[row.env]
  if (text === undefined || text === '') return findDefault(row)
  return { value: row.type === 'boolean' ? toBoolean(row, text) : readText(row, row.env, text), origin: 'env' }
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
  throw refuseValue(`expected variables that have a meaning, got ${unknown.join(', ')}`, `unset ${unknown.join(' and ')}`)
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

/** Settings as data: what may be set, by which flag and variable, and what comes out. */
interface Row {
  /** Name of the flag without its dashes; absent where only the environment may set it. */
  readonly flag?: string
  /** Name of the variable. */
  readonly env: string
}

export interface StringSetting extends Row {
  readonly type: 'string'
  readonly default?: string
  /** Has a `_FILE` twin, has no flag, and never appears in a message. */
  readonly secret?: boolean
  /** Turns the text into its value. Throws a `Refusal` that names the setting. Not for secrets. */
  readonly parse?: (text: string) => unknown
}

export interface BooleanSetting extends Row {
  readonly type: 'boolean'
  readonly default?: boolean
}

export interface ChoiceSetting extends Row {
  readonly type: 'choice'
  readonly choices: readonly string[]
  readonly default?: string
}

export type Setting = StringSetting | BooleanSetting | ChoiceSetting
export type SettingsTable = Readonly<Record<string, Setting>>

type TextValueOf<S extends Setting> = S extends ChoiceSetting
  ? S['choices'][number]
  : S extends { readonly parse: (text: string) => infer T }
    ? T
    : string

export type ValueOf<S extends Setting> = S extends BooleanSetting
  ? boolean
  : TextValueOf<S> | (S extends { readonly default: string } ? never : undefined)

export type Origin = 'flag' | 'env' | 'file' | 'default'

export interface Settings<T extends SettingsTable> {
  readonly values: { readonly [K in keyof T]: ValueOf<T[K]> }
  /** Where each value came from. */
  readonly origins: { readonly [K in keyof T]: Origin }
  /** Sentences for the log. */
  readonly warnings: readonly string[]
}

export interface SettingsInput {
  /** Without the program's own name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that begin so and are in no row are refused. */
  readonly prefix?: string
  /** Variables with that prefix that belong to somebody else. */
  readonly foreign?: readonly string[]
}
