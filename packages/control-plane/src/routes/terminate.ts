// The end of a session: closed at the gateway, where it counts, then its sandbox at the runner.
import { isServiceError, type SessionID } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import { tellKept } from './kept.ts'

/** Nothing of the session is left at the runner. */
const isGone = (error: unknown): boolean => isServiceError(error) && error.code === 'not-found'

/** False while the runner has not ended the sandbox: a runner that is down undoes nothing. */
export const terminateSession = async (c: Context<Env>, wanted: { session: SessionID; reason?: string | undefined }): Promise<boolean> => {
  const { unit, token, call } = c.var
  const { gateway, runner } = unit.peers
  tellKept(c, await gateway.terminate({ token, ...wanted }, call))
  try {
    await runner.terminate({ session: wanted.session }, call)
    return true
  } catch (error) {
    if (isGone(error)) return true
    unit.log.warn('the session is closed, but the runner has not ended its sandbox', { session: wanted.session, error })
    return false
  }
}
