// The two things that can be asked on `tools.sock`.
import { limits } from '@gatehouse/contracts'
import type { Bounds, Route } from '@gatehouse/kernel'
import type { CallTools } from '../calls/handle.ts'
import type { CallSession } from '../calls/session.ts'
import { createCallRoute } from './call.ts'
import { createListRoute } from './list.ts'

/** A group whose limit was raised beyond that of a session may use it up in one session. */
const callsOf = ({ callsPerMinute = 0 }: CallSession): number => Math.max(limits.sessionCallsPerMinute, callsPerMinute)

/** `isRated`: lists and calls are counted by the minute. */
export const createRoutes = (tools: CallTools, isRated: boolean): Readonly<Record<string, Route<CallSession>>> => {
  const rated = (perMinute: NonNullable<Bounds['perMinute']>): Bounds => (isRated ? { perMinute } : {})
  return {
    '/tools': { method: 'GET', bounds: rated(limits.sessionListsPerMinute), run: createListRoute(tools) },
    '/call': {
      method: 'POST',
      bounds: (session) => ({ inFlight: limits.sessionCallsInFlight, ...rated(() => callsOf(session)) }),
      run: createCallRoute(tools),
    },
  }
}
