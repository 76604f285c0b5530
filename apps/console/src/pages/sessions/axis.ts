// The axis of a session's timeline: seconds keep their length, and a long time without an event is a short gap. Pure functions.
import type { SessionEvent } from './session-events.ts'

export interface Gap {
  /** Where it is on the axis, between 0 and 1. */
  readonly from: number
  readonly to: number
  /** Milliseconds. */
  readonly length: number
}

export interface Axis {
  readonly start: number
  readonly end: number
  readonly gaps: readonly Gap[]
  /** Where an instant is, between 0 and 1. */
  readonly place: (at: number) => number
}

/** What is longer than this without a beginning or an end is shortened to it. */
const longest = 20_000

const instantsOf = (events: readonly SessionEvent[], now: number): readonly number[] => [
  ...new Set(
    events.flatMap(({ at, duration, isOpen }) => [
      at,
      ...(duration === undefined ? [] : [at + duration]),
      ...(isOpen === true ? [now] : []),
    ]),
  ),
]

export const axisOf = (events: readonly SessionEvent[], now: number): Axis => {
  const instants = instantsOf(events, now).toSorted((a, b) => a - b)
  const start = instants[0] ?? now
  const steps = instants.slice(1).map((to, place) => ({ from: instants[place] ?? start, to }))
  const total = Math.max(
    1,
    steps.reduce((sum, { from, to }) => sum + Math.min(to - from, longest), 0),
  )
  const gaps: Gap[] = []
  const marks: { readonly at: number; readonly place: number }[] = [{ at: start, place: 0 }]
  let done = 0
  for (const { from, to } of steps) {
    const before = done / total
    done += Math.min(to - from, longest)
    if (to - from > longest) gaps.push({ from: before, to: done / total, length: to - from })
    marks.push({ at: to, place: done / total })
  }
  const place = (at: number): number => {
    const behind = marks.findIndex((mark) => mark.at >= at)
    const next = marks[behind]
    const last = marks[behind - 1]
    if (next === undefined) return 1
    if (last === undefined || next.at === last.at) return next.place
    return last.place + ((at - last.at) / (next.at - last.at)) * (next.place - last.place)
  }
  return { start, end: instants.at(-1) ?? now, gaps, place }
}
