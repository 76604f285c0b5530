// `POST /call`: read, handle, write down, answer. What cannot be written down is not answered with a result.
import { isServiceError, jsonBounds, ServiceError, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange, jsonReply, problemReply, readBody, type Reply } from '@gatehouse/kernel'
import { type CallTools, createCall } from '../calls/handle.ts'
import { type Outcome, statusOf } from '../calls/outcome.ts'
import type { RecordInput } from '../calls/record.ts'
import { refuse } from '../calls/refuse.ts'
import type { CallSession } from '../calls/session.ts'
import { parseCall } from './parse-call.ts'

type Noted = Pick<RecordInput, 'server' | 'tool' | 'status' | 'code'>

interface Answered {
  readonly noted: Noted
  readonly reply: Reply
}

const write = ({ result, scrub }: Outcome): Reply => {
  const text = JSON.stringify(result)
  const clean = scrub?.json(result, text) ?? result
  return jsonReply(clean === result ? text : JSON.stringify(clean))
}

const answerOutcome = (outcome: Outcome): Answered => {
  const { address, status, code } = outcome
  return { noted: { server: address.server, tool: address.tool, status, ...(code && { code }) }, reply: write(outcome) }
}

/** A request that never became a call. */
const answerFault = (error: unknown): Answered => {
  if (error instanceof Abandoned)
    return { noted: { server: '', status: statusOf(error.code), code: error.code }, reply: problemReply(new ServiceError('deadline')) }
  const fault = toServiceError(error)
  const isRefused = isServiceError(error)
  return {
    noted: { server: '', status: isRefused ? 'refused' : 'error', ...(fault.code === 'too-large' && { code: fault.code }) },
    // Nobody knows where a body that did not come in time ends.
    reply: problemReply(fault, fault.code === 'deadline' ? { connection: 'close' } : {}),
  }
}

const unwritable = ({ server, tool }: Noted): Reply =>
  tool === undefined ? problemReply(new ServiceError('audit-unwritable')) : write(refuse({ server, tool }, 'audit-unwritable'))

export const createCallRoute = (tools: CallTools) => {
  const handle = createCall(tools)
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const { request, signal, giveUp, started } = exchange
    const pending = tools.recorder.begin(session, 'call')
    let received = 0
    const act = async (): Promise<Answered> => {
      const body = await readBody(request, jsonBounds.toolCall)
      received = body.length
      return answerOutcome(await handle(session, parseCall(body), { signal, giveUp, aim: (target) => pending.aim(target) }))
    }
    const { noted, reply } = await act().catch(answerFault)
    const sent = signal.aborted && noted.status === 'cancelled' ? 0 : reply.bytes
    try {
      await pending.write({ ...noted, received, sent, duration: performance.now() - started })
      return reply
    } catch {
      return unwritable(noted)
    }
  }
}
