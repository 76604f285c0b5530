// The clocks of one sandbox: it must ask for work soon after its launch, and is stopped when it has long had none.
import type { Context } from './context.ts'
import { move } from './machine.ts'
import { settleOwed } from './owed.ts'
import { park } from './park.ts'
import type { Run } from './run.ts'
import type { Session } from './session.ts'

export interface Watched {
  readonly run: Run
  readonly driver: string
  /** When the launch began, on the clock of `performance`. */
  readonly since: number
  /** Rejects when it sees something else of the host than it was to see. */
  readonly verify: () => Promise<unknown>
}

/** Begins with the launch; returns what ends it. */
export const watch = (context: Context, session: Session, { run, driver, since, verify }: Watched): (() => void) => {
  const { times, metrics } = context
  const first = setTimeout(() => run.end('unresponsive'), times.launch)
  const idle = setTimeout(() => {
    if (session.waiting === 0 && run.busy === 0) run.end('idle')
    else idle.refresh()
  }, times.idle)
  run.touch = () => {
    run.touch = () => idle.refresh()
    clearTimeout(first)
    run.started()
    idle.refresh()
    // By now everything is mounted: what was exchanged in between is seen here.
    verify().catch((error: unknown) => park(context, session, error instanceof Error ? error.message : 'unknown error'))
    settleOwed(context, session, run)
    if (session.state !== 'launching') return
    move(session, 'open')
    metrics.histogram('sandbox_launch_duration_seconds').observe({ driver }, (performance.now() - since) / 1000)
  }
  if (run.heard) run.touch()
  return () => {
    run.touch = () => undefined
    clearTimeout(first)
    clearTimeout(idle)
  }
}
