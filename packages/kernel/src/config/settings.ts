// Settings as data: what may be set, by which flag and variable, and what comes out.

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

export type ValueOf<S extends Setting> = S extends BooleanSetting
  ? boolean
  : (S extends ChoiceSetting ? S['choices'][number] : string) | (S extends { readonly default: string } ? never : undefined)

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
