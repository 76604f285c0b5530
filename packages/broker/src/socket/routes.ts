// The two routes of `tools.sock`, with their limits.
import { limits } from '@gatehouse/contracts'
import type { Bounds, Route } from '@gatehouse/kernel'
import type { CallServices } from '../calls/call.ts'
import type { CallSession } from '../calls/session.ts'
import { createCallRoute } from './call.ts'
import { createListRoute } from './list.ts'

/** A group whose limit was raised beyond that of a session may use it up in one session. */
const getCallRate = ({ callsPerMinute = 0 }: CallSession): number => Math.max(limits.sessionCallsPerMinute, callsPerMinute)

/** `isRated`: lists and calls are counted by the minute. */
export const createRoutes = (services: CallServices, isRated: boolean): Readonly<Record<string, Route<CallSession>>> => {
  const rated = (perMinute: NonNullable<Bounds['perMinute']>): Bounds => (isRated ? { perMinute } : {})
  return {
    '/tools': { method: 'GET', bounds: rated(limits.sessionListsPerMinute), run: createListRoute(services) },
    '/call': {
      method: 'POST',
      bounds: (session) => ({ inFlight: limits.sessionCallsInFlight, ...rated(() => getCallRate(session)) }),
      run: createCallRoute(services),
    },
  }
}
