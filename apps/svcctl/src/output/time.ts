// Times for people: how long ago, or how long until, in one unit. Programs get the RFC 3339 time itself.
import { wallMs } from '@gatehouse/kernel'

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

const inOneUnit = (seconds: number): string => {
  const unit = units.find(([, size]) => seconds >= size)
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`
}

/** `12s`, `3m`, `2h`, `5d`. */
export const age = (time: string, now = wallMs()): string => inOneUnit(Math.max(0, Math.floor((now - Date.parse(time)) / 1000)))

/** `3m ago`, or `in 6d` for a time in the future. */
export const relative = (time: string, now = wallMs()): string => {
  const seconds = Math.floor((Date.parse(time) - now) / 1000)
  return seconds > 0 ? `in ${inOneUnit(seconds)}` : `${age(time, now)} ago`
}
