// `GET /tools`: list, record once for each granted server, answer.
import { isServiceError, ServiceError, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange, jsonReply, problemReply, type Reply } from '@gatehouse/kernel'
import type { CallServices } from '../calls/call.ts'
import { createList, type ServerList } from '../calls/list.ts'
import { getRecordStatus } from '../calls/outcome.ts'
import type { CallSession } from '../calls/session.ts'
import { createListWriter } from '../calls/tool-text.ts'
import type { Pending, RecordInput } from '../records/recorder.ts'

type ListSummary = Pick<RecordInput, 'server' | 'status' | 'code' | 'sent' | 'duration'>

const countBytes = ({ tools }: ServerList): number => tools.reduce((sum, { bytes }) => sum + bytes, 0)

const summarizeServer = (list: ServerList): ListSummary => ({
  server: list.server,
  status: list.status,
  ...(list.status === 'error' && { code: 'server-unavailable' as const }),
  ...(list.status === 'cancelled' && { code: list.status }),
  sent: list.status === 'cancelled' ? 0 : countBytes(list),
  duration: list.duration,
})

/** The gateway could not be asked or says that nothing is listed now, or the caller left before it answered. */
const summarizeFault = (error: unknown, duration: number): ListSummary => {
  if (error instanceof Abandoned) return { server: '', status: getRecordStatus(error.code), code: error.code, sent: 0, duration }
  if (isServiceError(error) && error.code === 'frozen') return { server: '', status: 'refused', code: error.code, sent: 0, duration }
  return { server: '', status: 'error', sent: 0, duration }
}

const unwritable = (): Reply =>
  problemReply(new ServiceError('audit-unwritable', { detail: 'the list cannot be recorded', hint: 'an operator has to look at the unit' }))

export const createListRoute = (services: CallServices) => {
  const list = createList(services)
  const write = createListWriter()
  const collect = async (session: CallSession, { signal, started }: Exchange): Promise<{ summaries: ListSummary[]; reply: Reply }> => {
    try {
      const servers = await list(session, signal)
      const reply = jsonReply(write(servers.flatMap((server) => server.tools)))
      const summaries = servers.map(summarizeServer)
      const none: ListSummary = { server: '', status: 'ok', sent: reply.bytes, duration: performance.now() - started }
      return { summaries: summaries.length === 0 ? [none] : summaries, reply }
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error
      return {
        summaries: [summarizeFault(cause, performance.now() - started)],
        reply: problemReply(cause instanceof Abandoned ? new ServiceError('deadline') : toServiceError(error)),
      }
    }
  }
  /** The record that was begun for the list becomes that of the first server. */
  const record = async (session: CallSession, first: Pending, summaries: readonly ListSummary[]): Promise<void> => {
    if (summaries[0] !== undefined) first.setTarget({ server: summaries[0].server })
    const begun = summaries.map((note, index) => {
      const pending = index === 0 ? first : services.recorder.begin(session, 'list', { server: note.server })
      return { note, pending }
    })
    await Promise.all(begun.map(({ note, pending }) => pending.write({ received: 0, ...note })))
  }
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const first = services.recorder.begin(session, 'list')
    const { summaries, reply } = await collect(session, exchange)
    try {
      await record(session, first, summaries)
      return reply
    } catch {
      return unwritable()
    }
  }
}
