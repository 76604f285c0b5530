// `POST /call`: the body of a call, and its result or a problem as the answer.
import { type FieldIssue, jsonBounds, ServiceError, ToolCall } from '@gatehouse/contracts'
import { type Exchange, jsonReply, parseScannedJson, problemReply, readBody, type Reply } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { CallServices } from '../calls/call.ts'
import { createRecordedCall } from '../calls/recorded-call.ts'
import type { CallSession } from '../calls/session.ts'

const shape = '{ "name": "<server>__<tool>", "arguments": { … } }'

const escape = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1')

const toFieldIssue = (issue: v.BaseIssue<unknown>): FieldIssue => ({
  pointer: (issue.path ?? []).map(({ key }) => `/${escape(key)}`).join(''),
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

export const createCallRoute = (services: CallServices) => {
  const run = createRecordedCall<Reply>(services, {
    answer: ({ text }) => jsonReply(text),
    // The end of a body that did not arrive in time is unknown.
    fault: (error) => problemReply(error, error.code === 'deadline' ? { connection: 'close' } : {}),
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
