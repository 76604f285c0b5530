// A call with its record: read, handle, record, answer. A call that cannot be recorded is not answered with a result.
import { isServiceError, ServiceError, type ToolCall, type ToolResult, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange } from '@gatehouse/kernel'
import type { RecordInput } from '../records/recorder.ts'
import { type CallServices, createCall } from './call.ts'
import { getRecordStatus, type Outcome, refuse, writeResult } from './outcome.ts'
import type { CallSession } from './session.ts'

export interface CallRequest extends Pick<Exchange, 'signal' | 'giveUp' | 'started'> {
  /** Rejects for what is no call. `onBytes` is told how much of it there was, before anything of it is judged. */
  readonly read: (onBytes: (received: number) => void) => Promise<ToolCall>
}

export interface CallAnswer {
  readonly result: ToolResult
  /** The same as JSON. */
  readonly text: string
}

/** How an answer leaves, with its size. */
export interface CallWriter<R extends { readonly bytes: number }> {
  readonly answer: (answer: CallAnswer) => R
  /** It never became a call. */
  readonly fault: (error: ServiceError) => R
  /** Bytes that an answer may have; absent where the bound is that of the server's message. */
  readonly most?: number
}

type CallSummary = Pick<RecordInput, 'server' | 'tool' | 'status' | 'code'>

interface Answered<R> {
  readonly summary: CallSummary
  readonly reply: R
}

const withinBytes = (outcome: Outcome, most = Infinity): { outcome: Outcome; answer: CallAnswer } => {
  const answer = writeResult(outcome)
  if (Buffer.byteLength(answer.text) <= most) return { outcome, answer }
  const refused = refuse(outcome.address, 'too-large', { excess: `has more than ${most} bytes` })
  return { outcome: refused, answer: writeResult(refused) }
}

const summarizeFault = (error: unknown): CallSummary => {
  if (error instanceof Abandoned) return { server: '', status: getRecordStatus(error.code), code: error.code }
  const isTooLarge = toServiceError(error).code === 'too-large'
  return { server: '', status: isServiceError(error) ? 'refused' : 'error', ...(isTooLarge && { code: 'too-large' }) }
}

export const createRecordedCall = <R extends { readonly bytes: number }>(services: CallServices, writer: CallWriter<R>) => {
  const handle = createCall(services)
  const answerOutcome = (made: Outcome): Answered<R> => {
    const { outcome, answer } = withinBytes(made, writer.most)
    const { address, status, code } = outcome
    return { summary: { server: address.server, tool: address.tool, status, ...(code && { code }) }, reply: writer.answer(answer) }
  }
  const answerFault = (error: unknown): Answered<R> => ({
    summary: summarizeFault(error),
    reply: writer.fault(error instanceof Abandoned ? new ServiceError('deadline') : toServiceError(error)),
  })
  const unwritable = ({ server, tool }: CallSummary): R =>
    tool === undefined
      ? writer.fault(new ServiceError('audit-unwritable'))
      : writer.answer(writeResult(refuse({ server, tool }, 'audit-unwritable')))
  return async (session: CallSession, { signal, giveUp, started, read }: CallRequest): Promise<R> => {
    const pending = services.recorder.begin(session, 'call')
    let received = 0
    const act = async (): Promise<Answered<R>> => {
      const call = await read((bytes) => (received = bytes))
      return answerOutcome(await handle(session, call, { signal, giveUp, setTarget: (target) => pending.setTarget(target) }))
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
