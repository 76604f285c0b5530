// The deadlines of all calls that wait, under one timer: nearly every call is answered long before its own, so none has a timer.

export interface Waiting {
  /** On the clock of `performance`. */
  readonly end: number
  giveUp(): void
}

const waiting = new Set<Waiting>()
let timer: NodeJS.Timeout | undefined
/** When the timer goes off. */
let next = Infinity

/** In the order of their ends, however late the timer is. */
const look = (): void => {
  const now = performance.now()
  const over = [...waiting].filter(({ end }) => end <= now).toSorted((a, b) => a.end - b.end)
  for (const one of over) waiting.delete(one)
  next = Infinity
  for (const { end } of waiting) next = Math.min(next, end)
  if (next !== Infinity) arm(next - now)
  for (const one of over) one.giveUp()
}

/** The socket of a call keeps the process alive, so the timer need not. */
const arm = (milliseconds: number): void => {
  clearTimeout(timer)
  timer = setTimeout(look, Math.max(1, Math.ceil(milliseconds)))
  timer.unref()
}

export const watchDeadline = (one: Waiting): void => {
  waiting.add(one)
  if (one.end >= next) return
  next = one.end
  arm(one.end - performance.now())
}

export const settleDeadline = (one: Waiting): void => void waiting.delete(one)
