// Ends the sandbox of a session because the runner stops. What it did not acknowledge is delivered to the next one.
import type { Context } from './context.ts'
import { leave } from './run.ts'
import type { Session } from './session.ts'

/** `closing` has been aborted, so nothing is launched any more. */
export const drain = async ({ times }: Context, session: Session): Promise<void> => {
  const { run, keeping } = session
  if (run !== undefined) leave(run, 'drain')
  const late = setTimeout(() => run?.end('drain'), times.grace)
  await keeping
  clearTimeout(late)
}
