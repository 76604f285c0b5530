// A span of time as an operator writes it: a whole number and a unit.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

const units = { s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const
const isUnit = (text: string): text is keyof typeof units => Object.hasOwn(units, text)

export interface Span {
  readonly least: string
  readonly most: string
}

/** Milliseconds; undefined for what is no span of time. */
const read = (text: string): number | undefined => {
  const [, count = '', unit = ''] = /^(\d{1,12})([a-z])$/.exec(text) ?? []
  return isUnit(unit) ? Number(count) * units[unit] : undefined
}

/** Milliseconds of `90s`, `30m`, `12h` or `7d`, between two others; `Refusal` 78 names the setting. */
export const parseDuration = (setting: string, text: string, { least, most }: Span): number => {
  const time = read(text)
  if (time !== undefined && time >= (read(least) ?? 0) && time <= (read(most) ?? Infinity)) return time
  throw new Refusal(exits.configuration, {
    detail: `${setting}: expected a time from ${least} to ${most} in s, m, h or d, such as 12h, got "${text}"`,
    hint: `write a whole number and its unit: ${setting} ${least}`,
  })
}
