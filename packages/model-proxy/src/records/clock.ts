// The clock that dates records and begins the days of budgets. It never goes back, so no day has a second budget, except when it is
// more than two days ahead of the machine's: then the machine's clock was wrong before, and the clock goes on from it.
// So a mistaken clock dates records wrongly by two days at most once it is right again.
import { type Clock, createClock, type Logger } from '@gatehouse/kernel'

/** Milliseconds. */
const maxAhead = 2 * 24 * 60 * 60_000

export type RecordClock = Pick<Clock, 'reach'> & (() => number)

export const createRecordClock = (source: () => number, log: Logger): RecordClock => {
  let clock = createClock(source)
  const now = (): number => {
    const ahead = clock.ahead()
    if (ahead > maxAhead) {
      log.warn('the clock was set back by more than two days: model call records and daily budgets follow it', {
        seconds: Math.round(ahead / 1000),
      })
      clock = createClock(source)
    }
    return clock()
  }
  return Object.assign(now, { reach: (time: number) => clock.reach(time) })
}
