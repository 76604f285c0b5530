// The two routes of `tools.sock`, with their limits: `POST /call` answers with a result or a problem, `GET /tools` with the list.
import { type FieldIssue, jsonBounds, limits, ServiceError, ToolCall, toPointer } from '@gatehouse/contracts'
import { type Bounds, type Exchange, jsonReply, parseScannedJson, problemReply, readBody, type Reply, type Route } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { CallServices } from '../calls/call.ts'
import { createRecordedCall } from '../calls/recorded-call.ts'
import { createRecordedList } from '../calls/recorded-list.ts'
import type { CallSession } from '../calls/session.ts'
import { createListWriter } from '../calls/tool-text.ts'

const shape = '{ "name": "<server>__<tool>", "arguments": { … } }'

const toFieldIssue = (issue: v.BaseIssue<unknown>): FieldIssue => ({
  pointer: toPointer((issue.path ?? []).map(({ key }) => key)),
  detail: `expected ${issue.expected ?? 'another value'}`,
})

const parseJson = (body: Buffer): unknown => {
  try {
    return parseScannedJson(body.toString('utf8'), jsonBounds.toolCall)
  } catch {
    throw new ServiceError('malformed', { detail: `expected a body of JSON: ${shape}, got what is no JSON` })
  }
}

/** The body was scanned while it arrived. Throws `malformed`; never repeats an argument. */
const parseCall = (body: Buffer): ToolCall => {
  const value = parseJson(body)
  const parsed = v.safeParse(ToolCall, value)
  if (parsed.success) return parsed.output
  throw new ServiceError('malformed', { detail: `expected ${shape}`, errors: parsed.issues.map(toFieldIssue) })
}

const createCallRoute = (services: CallServices) => {
  const run = createRecordedCall<Reply>(services, {
    answer: ({ text }) => jsonReply(text),
    // The end of a body that did not arrive in time is unknown.
    fault: (error) => problemReply(error, error.code === 'deadline' ? { headers: { connection: 'close' } } : {}),
  })
  return (session: CallSession, { request, signal, giveUp, started }: Exchange): Promise<Reply> =>
    run(session, {
      signal,
      giveUp,
      started,
      read: async (onBytes) => {
        const body = await readBody(request, jsonBounds.toolCall)
        onBytes(body.length)
        return parseCall(body)
      },
    })
}

const createListRoute = (services: CallServices) => {
  const list = createRecordedList(services)
  const write = createListWriter()
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const answer = await list(session, exchange)
    return 'tools' in answer ? jsonReply(write(answer.tools)) : problemReply(answer.fault)
  }
}

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
