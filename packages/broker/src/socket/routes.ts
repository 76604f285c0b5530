// The two things that can be asked on `tools.sock`.
import { limits } from '@gatehouse/contracts'
import type { Bounds, Route } from '@gatehouse/kernel'
import type { CallTools } from '../calls/handle.ts'
import type { CallSession } from '../calls/session.ts'
import { createCallRoute } from './call.ts'
import { createListRoute } from './list.ts'

/** `isRated`: lists and calls are counted by the minute. */
export const createRoutes = (tools: CallTools, isRated: boolean): Readonly<Record<string, Route<CallSession>>> => {
  const rated = (perMinute: number): Bounds => (isRated ? { perMinute } : {})
  return {
    '/tools': { method: 'GET', bounds: rated(limits.sessionListsPerMinute), run: createListRoute(tools) },
    '/call': {
      method: 'POST',
      bounds: { inFlight: limits.sessionCallsInFlight, ...rated(limits.sessionCallsPerMinute) },
      run: createCallRoute(tools),
    },
  }
}
