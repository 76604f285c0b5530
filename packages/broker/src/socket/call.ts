// `POST /call`: read, handle, record, answer. A call that cannot be recorded is not answered with a result.
import { type FieldIssue, isServiceError, jsonBounds, ServiceError, ToolCall, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange, jsonReply, parseScannedJson, problemReply, readBody, type Reply } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type CallServices, createCall } from '../calls/call.ts'
import { getRecordStatus, type Outcome, refuse } from '../calls/outcome.ts'
import type { CallSession } from '../calls/session.ts'
import type { RecordInput } from '../records/recorder.ts'

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

type CallSummary = Pick<RecordInput, 'server' | 'tool' | 'status' | 'code'>

interface AnsweredCall {
  readonly summary: CallSummary
  readonly reply: Reply
}

const writeOutcome = ({ result, redactor }: Outcome): Reply => {
  const text = JSON.stringify(result)
  const clean = redactor?.json(result, text) ?? result
  return jsonReply(clean === result ? text : JSON.stringify(clean))
}

const answerOutcome = (outcome: Outcome): AnsweredCall => {
  const { address, status, code } = outcome
  return { summary: { server: address.server, tool: address.tool, status, ...(code && { code }) }, reply: writeOutcome(outcome) }
}

/** A request that never became a call. */
const answerFault = (error: unknown): AnsweredCall => {
  if (error instanceof Abandoned)
    return {
      summary: { server: '', status: getRecordStatus(error.code), code: error.code },
      reply: problemReply(new ServiceError('deadline')),
    }
  const fault = toServiceError(error)
  const isRefused = isServiceError(error)
  return {
    summary: { server: '', status: isRefused ? 'refused' : 'error', ...(fault.code === 'too-large' && { code: fault.code }) },
    // The end of a body that did not arrive in time is unknown.
    reply: problemReply(fault, fault.code === 'deadline' ? { connection: 'close' } : {}),
  }
}

const unwritable = ({ server, tool }: CallSummary): Reply =>
  tool === undefined ? problemReply(new ServiceError('audit-unwritable')) : writeOutcome(refuse({ server, tool }, 'audit-unwritable'))

export const createCallRoute = (services: CallServices) => {
  const handle = createCall(services)
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const { request, signal, giveUp, started } = exchange
    const pending = services.recorder.begin(session, 'call')
    let received = 0
    const act = async (): Promise<AnsweredCall> => {
      const body = await readBody(request, jsonBounds.toolCall)
      received = body.length
      return answerOutcome(await handle(session, parseCall(body), { signal, giveUp, setTarget: (target) => pending.setTarget(target) }))
    }
    const { summary, reply } = await act().catch(answerFault)
    const sent = signal.aborted && summary.status === 'cancelled' ? 0 : reply.bytes
    try {
      await pending.write({ ...summary, received, sent, duration: performance.now() - started })
      return reply
    } catch {
      return unwritable(summary)
    }
  }
}
