// The two things that can be asked on `tools.sock`.
import type { Route } from '@gatehouse/kernel'
import type { CallTools } from '../calls/handle.ts'
import type { CallSession } from '../calls/session.ts'
import { createCallRoute } from './call.ts'
import { createListRoute } from './list.ts'

export const createRoutes = (tools: CallTools): Readonly<Record<string, Route<CallSession>>> => ({
  '/tools': { method: 'GET', run: createListRoute(tools) },
  '/call': { method: 'POST', run: createCallRoute(tools) },
})
