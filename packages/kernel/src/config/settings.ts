// Reads settings from flags, environment variables and `_FILE` variables. Precedence: flag, then variable or file, then default.
import { parseArgs } from 'node:util'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { readSecret } from './read-secret.ts'

export type Flags = ReadonlyMap<string, string | boolean>

const formatFlags = (table: SettingsTable): string =>
  Object.values(table)
    .flatMap((row) => (row.flag === undefined ? [] : [`--${row.flag}`]))
    .join(' ')

/** Messages name the argument and never contain a value. */
const refuse = (detail: string, table: SettingsTable): Refusal =>
  new Refusal(exits.configuration, { detail, hint: `the flags are: ${formatFlags(table)}` })

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
    if (token.kind === 'positional') throw refuse('unexpected positional argument: only flags are accepted', table)
    const negated = token.rawName.startsWith('--no-') && !rows.has(token.name)
    const row = rows.get(negated ? token.name.replace(/^no-/, '') : token.name)
    const no = negated || token.rawName === `--no-${token.name}`
    if (row?.flag === undefined || !token.rawName.startsWith('--') || (no && row.type !== 'boolean')) {
      throw refuse(`unknown flag ${token.rawName}`, table)
    }
    if (row.type === 'boolean') {
      if (token.value !== undefined) throw refuse(`--${row.flag} takes no value`, table)
      flags.set(row.flag, !no)
    } else {
      if (!token.value || (!token.inlineValue && token.value.startsWith('-'))) throw refuse(`--${row.flag} needs a value`, table)
      flags.set(row.flag, token.value)
    }
  }
  return flags
}

interface ResolvedSetting {
  readonly value: unknown
  readonly origin: Origin
  readonly warning?: string | undefined
}

const refuseValue = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

const booleanWords: Readonly<Record<string, boolean>> = {
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
  const value = Object.hasOwn(booleanWords, text.toLowerCase()) ? booleanWords[text.toLowerCase()] : undefined
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

/** Parses and checks the text of a setting. */
const readText = (row: StringSetting | ChoiceSetting, name: string, text: string): unknown =>
  row.type === 'choice' ? checkChoice(row, name, text) : row.parse === undefined ? text : row.parse(text)

const resolveDefault = (row: Setting): ResolvedSetting => {
  if (row.type === 'boolean') return { value: row.default ?? false, origin: 'default' }
  return { value: row.default === undefined ? undefined : readText(row, row.env, row.default), origin: 'default' }
}

const resolveSetting = (row: Setting, flags: Flags, env: SettingsInput['env']): ResolvedSetting => {
  const flag = row.flag === undefined ? undefined : flags.get(row.flag)
  if (flag !== undefined) {
    return { value: row.type === 'boolean' ? flag : readText(row, `--${row.flag}`, String(flag)), origin: 'flag' }
  }
  if (row.type === 'string' && row.secret === true) return readSecret(row.env, env) ?? { value: row.default, origin: 'default' }
  const text = env[row.env]
  if (text === undefined || text === '') return resolveDefault(row)
  return { value: row.type === 'boolean' ? toBoolean(row, text) : readText(row, row.env, text), origin: 'env' }
}

const refuseUnknown = (table: SettingsTable, input: SettingsInput): void => {
  const { prefix } = input
  if (prefix === undefined) return
  const rows = Object.values(table)
  const knownNames = new Set([
    ...rows.map((row) => row.env),
    ...rows.map((row) => ('secret' in row ? `${row.env}_FILE` : row.env)),
    ...(input.foreign ?? []),
  ])
  const unknown = Object.keys(input.env).filter((name) => name.startsWith(prefix) && !knownNames.has(name))
  if (unknown.length === 0) return
  throw refuseValue(`unknown environment variables: ${unknown.join(', ')}`, `unset ${unknown.join(' and ')}`)
}

/** Reads only its arguments and the files that they name. Throws `Refusal` 78 with the setting and what is wrong with it. */
export const readSettings = <const T extends SettingsTable>(table: T, input: SettingsInput): Settings<T> => {
  refuseUnknown(table, input)
  const flags = readFlags(table, input.argv)
  const resolved = Object.entries<Setting>(table).map(([name, row]) => [name, resolveSetting(row, flags, input.env)] as const)
  const part = (pick: (item: ResolvedSetting) => unknown): object => Object.fromEntries(resolved.map(([name, item]) => [name, pick(item)]))
  return {
    values: part((item) => item.value) as Settings<T>['values'],
    origins: part((item) => item.origin) as Settings<T>['origins'],
    warnings: resolved.flatMap(([, item]) => (item.warning === undefined ? [] : [item.warning])),
  }
}

/** One setting: the flag and the environment variable that set it. */
interface Row {
  /** Name of the flag without its dashes; absent where only the environment can set it. */
  readonly flag?: string
  /** Name of the environment variable. */
  readonly env: string
}

export interface StringSetting extends Row {
  readonly type: 'string'
  readonly default?: string
  /** Also read from a `_FILE` variable, has no flag, and never appears in a message. */
  readonly secret?: boolean
  /** Converts the text. Throws a `Refusal` that names the setting. Not applied to secrets. */
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

type TextValue<S extends Setting> = S extends ChoiceSetting
  ? S['choices'][number]
  : S extends { readonly parse: (text: string) => infer T }
    ? T
    : string

export type SettingValue<S extends Setting> = S extends BooleanSetting
  ? boolean
  : TextValue<S> | (S extends { readonly default: string } ? never : undefined)

export type Origin = 'flag' | 'env' | 'file' | 'default'

export interface Settings<T extends SettingsTable> {
  readonly values: { readonly [K in keyof T]: SettingValue<T[K]> }
  /** Where each value came from. */
  readonly origins: { readonly [K in keyof T]: Origin }
  /** Warnings for the log. */
  readonly warnings: readonly string[]
}

export interface SettingsInput {
  /** Arguments, without the name of the program. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables with this prefix that no row names are refused. */
  readonly prefix?: string
  /** Variables with that prefix that belong to another program. */
  readonly foreign?: readonly string[]
}
