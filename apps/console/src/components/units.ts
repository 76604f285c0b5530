// Amounts with their units, as people read them. Pure functions.
import type { After } from '@gatehouse/contracts'

type Limits = NonNullable<After<'permissions'>['limits']>
export type LimitName = keyof Limits

export const limitTitles: Readonly<Record<LimitName, string>> = {
  modelTokensPerDay: 'Model tokens a day',
  callsPerMinute: 'Tool calls a minute',
  memoryMiB: 'Memory',
  cpus: 'CPUs',
  processes: 'Processes',
  workspaceMiB: 'Workspace',
}

export const limitNames = Object.keys(limitTitles).filter((name): name is LimitName => name in limitTitles)

const number = new Intl.NumberFormat('en')

export const formatNumber = (value: number): string => number.format(value)

/** Such as `1 tool` and `2 tools`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${number.format(count)} ${count === 1 ? one : many}`

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Such as `1.2K`. */
export const formatShort = (value: number): string => short.format(value)

export const formatBytes = (value: number): string => {
  if (value < 1_024) return `${value} B`
  return value < 1_048_576 ? `${(value / 1_024).toFixed(1)} KiB` : `${(value / 1_048_576).toFixed(1)} MiB`
}

/** Milliseconds, such as `12 ms` or `3.4 s`. */
export const formatDuration = (value: number): string => {
  if (value < 1_000) return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`
  return value < 60_000 ? `${(value / 1_000).toFixed(1)} s` : `${Math.floor(value / 60_000)} min`
}

const mebibytes = (value: number): string => (value >= 1_024 && value % 256 === 0 ? `${value / 1_024} GiB` : `${number.format(value)} MiB`)

const phrases: Readonly<Record<LimitName, string>> = {
  modelTokensPerDay: 'tokens a day',
  callsPerMinute: 'calls a minute',
  memoryMiB: 'memory',
  cpus: 'CPUs',
  processes: 'processes',
  workspaceMiB: 'workspace',
}

/** The value of a limit, such as `2 GiB`. */
export const formatLimit = (name: LimitName, value: number): string => (name.endsWith('MiB') ? mebibytes(value) : number.format(value))

/** Such as `2 GiB memory`. */
export const describeLimit = (name: LimitName, value: number): string => `${formatLimit(name, value)} ${phrases[name]}`

/** At most three names, and how many more. */
export const nameList = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
