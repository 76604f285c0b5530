// How long ago, in one unit: `12s`, `3m`, `2h`, `5d`.
import { wallMs } from '@gatehouse/kernel'

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

export const age = (time: string, now = wallMs()): string => {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000))
  const unit = units.find(([, size]) => seconds >= size)
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`
}
