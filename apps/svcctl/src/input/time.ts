// Times as people type them: `1h`, `2d`, `yesterday`, `2026-11-01`, or a time of RFC 3339. All in UTC, as every time that is shown.
import { ServiceError, Time } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { Flags } from '@oclif/core'
import * as v from 'valibot'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const dayMs = unitMs.d

export interface TimeContext {
  /** `--since`, for errors. */
  readonly flag: string
  /** Which way `1h` counts from now. */
  readonly direction: 'past' | 'future'
}

const span = (text: string): number | undefined => {
  const [, number, unit] = /^(\d{1,6})\s?([smhdw])$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * unitMs[unit as keyof typeof unitMs]
}

const namedDay = (text: string, now: number): number | undefined => {
  const midnight = Math.floor(now / dayMs) * dayMs
  return { now, today: midnight, yesterday: midnight - dayMs, tomorrow: midnight + dayMs }[text]
}

const calendarTime = (text: string): number | undefined => {
  const [, day, clock = '00:00', seconds = ':00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{3})?)?Z?)?$/.exec(text) ?? []
  const written = `${day}T${clock}${seconds}Z`
  return v.is(Time, written) ? Date.parse(written) : undefined
}

/** RFC 3339 in UTC. Throws `invalid` where the text is no time. */
export const parseTime = (text: string, { flag, direction }: TimeContext, now = wallMs()): string => {
  if (v.safeParse(Time, text).success) return text
  const word = text.trim().toLowerCase()
  const length = span(word)
  const time =
    length === undefined ? (namedDay(word, now) ?? calendarTime(text.trim())) : direction === 'past' ? now - length : now + length
  if (time !== undefined && Number.isFinite(time)) return new Date(time).toISOString()
  throw new ServiceError('invalid', {
    detail: `${flag}: ${JSON.stringify(text)} is not a time`,
    hint: `${flag} 1h, 2d, ${direction === 'past' ? 'yesterday' : 'tomorrow'}, 2026-11-01 or 2026-11-01T09:30:00Z, in UTC`,
  })
}

/** A flag whose value is a time. */
export const timeFlag = (summary: string, { flag, direction }: TimeContext, others: { readonly exclusive?: string[] } = {}) =>
  Flags.custom({
    summary,
    helpValue: 'TIME',
    ...others,
    parse: (text) => Promise.resolve(parseTime(text, { flag, direction })),
  })()

export const sinceFlag = timeFlag('Records at or after this time, such as 1h, yesterday or 2026-11-01.', {
  flag: '--since',
  direction: 'past',
})
export const untilFlag = timeFlag('Records before this time.', { flag: '--until', direction: 'past' })
