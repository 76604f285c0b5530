// A time relative to now, with the exact one behind it. All of them are updated each minute.
import { useEffect, useState } from 'preact/hooks'
import { wallMs } from '../clock.ts'

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** A rough duration: `3d`, `2h`, `5m`, `now`. */
const lengthOf = (seconds: number): string => {
  for (const [unit, size] of units) if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`
  return 'now'
}

const say = (seconds: number): string => {
  if (seconds < -59) return `in ${lengthOf(-seconds)}`
  const length = lengthOf(seconds)
  return length === 'now' ? 'now' : `${length} ago`
}

const minute = 60_000
const watchers = new Set<() => void>()
let clock: ReturnType<typeof setInterval> | undefined

/** One clock for all times on the page. */
const watch = (act: () => void): (() => void) => {
  watchers.add(act)
  clock ??= setInterval(() => {
    for (const each of watchers) each()
  }, minute)
  return () => {
    watchers.delete(act)
    if (watchers.size > 0) return
    clearInterval(clock)
    clock = undefined
  }
}

export const RelativeTime = ({ at }: { readonly at: string }) => {
  const [, turn] = useState(0)
  useEffect(() => watch(() => turn((value) => value + 1)), [])
  return (
    <time dateTime={at} title={at}>
      {say((wallMs() - Date.parse(at)) / 1_000)}
    </time>
  )
}
