// A change touched the group of a sandbox that runs: it is replaced between two messages, or soon if the change takes something away.
import type { Context } from './context.ts'
import { leave } from './run.ts'
import type { Session } from './session.ts'

/** A session without a sandbox needs nothing: its next launch is up to date. One that is frozen would lose its own for none. */
export const relaunch = ({ times }: Context, session: Session, options: { narrowing: boolean }): void => {
  const { run } = session
  if (run === undefined) return
  if (session.frozen) {
    if (session.stale !== 'narrowed') session.stale = options.narrowing ? 'narrowed' : 'changed'
    return
  }
  if (options.narrowing) run.deadline ??= setTimeout(() => run.end('narrowed'), times.narrowing)
  leave(run, 'relaunch')
}
