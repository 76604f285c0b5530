// `POST /call`: read, handle, write down, answer. What cannot be written down is not answered with a result.
import { isServiceError, limits, ServiceError, toServiceError } from '@gatehouse/contracts'
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
  try {
    return { noted: { server: address.server, tool: address.tool, status, ...(code && { code }) }, reply: write(outcome) }
  } catch {
    // Nested too deep to be written again.
    return answerOutcome(refuse(address, 'too-large'))
  }
}

/** A request that never became a call. */
const answerFault = (error: unknown): Answered => {
  if (error instanceof Abandoned)
    return { noted: { server: '', status: statusOf(error.code), code: error.code }, reply: problemReply(new ServiceError('deadline')) }
  const fault = toServiceError(error)
  const isRefused = isServiceError(error)
  return {
    noted: { server: '', status: isRefused ? 'refused' : 'error', ...(fault.code === 'too-large' && { code: fault.code }) },
    reply: problemReply(fault),
  }
}

export const createCallRoute = (tools: CallTools) => {
  const handle = createCall(tools)
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const { request, signal, started } = exchange
    let received = 0
    const act = async (): Promise<Answered> => {
      const body = await readBody(request, limits.callBody)
      received = body.length
      return answerOutcome(await handle(session, parseCall(body), exchange))
    }
    const { noted, reply } = await act().catch(answerFault)
    const sent = signal.aborted && noted.status === 'cancelled' ? 0 : reply.bytes
    const { id, agentGroupID } = session
    try {
      await tools.recorder.write({ session: id, agentGroupID, op: 'call', ...noted, received, sent, duration: performance.now() - started })
      return reply
    } catch {
      if (noted.tool === undefined) return problemReply(new ServiceError('audit-unwritable'))
      return write(refuse({ server: noted.server, tool: noted.tool }, 'audit-unwritable'))
    }
  }
}
