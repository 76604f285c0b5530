// `GET /tools`: list, write down once for each granted server, answer.
import { isServiceError, ServiceError, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange, jsonReply, problemReply, type Reply } from '@gatehouse/kernel'
import type { CallTools } from '../calls/handle.ts'
import { createList, type ServerList, type SessionList } from '../calls/list.ts'
import { statusOf } from '../calls/outcome.ts'
import type { RecordInput } from '../calls/record.ts'
import type { CallSession } from '../calls/session.ts'

type Noted = Pick<RecordInput, 'server' | 'status' | 'code' | 'sent' | 'duration'>

const noteServer = ({ server, status, tools, duration }: ServerList): Noted => ({
  server,
  status,
  ...(status === 'error' && { code: 'server-unavailable' as const }),
  ...(status === 'cancelled' && { code: status }),
  sent: status === 'cancelled' ? 0 : Buffer.byteLength(JSON.stringify(tools)),
  duration,
})

const textOf = ({ servers }: SessionList): string => {
  const tools = servers.flatMap((server) => server.tools).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify({ tools })
}

/** The gateway could not be asked or says that nothing is listed now, or the caller left before it answered. */
const noteFault = (error: unknown, duration: number): Noted => {
  if (error instanceof Abandoned) return { server: '', status: statusOf(error.code), code: error.code, sent: 0, duration }
  if (isServiceError(error) && error.code === 'frozen') return { server: '', status: 'refused', code: error.code, sent: 0, duration }
  return { server: '', status: 'error', sent: 0, duration }
}

export const createListRoute = (tools: CallTools) => {
  const list = createList(tools)
  const collect = async (session: CallSession, { signal, started }: Exchange): Promise<{ noted: Noted[]; reply: Reply }> => {
    try {
      const found = await list(session, signal)
      const reply = jsonReply(textOf(found))
      const noted = found.servers.map(noteServer)
      const none: Noted = { server: '', status: 'ok', sent: reply.bytes, duration: performance.now() - started }
      return { noted: noted.length === 0 ? [none] : noted, reply }
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error
      const noted = noteFault(cause, performance.now() - started)
      return { noted: [noted], reply: problemReply(cause instanceof Abandoned ? new ServiceError('deadline') : toServiceError(error)) }
    }
  }
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const { noted, reply } = await collect(session, exchange)
    const { id, agentGroupID } = session
    try {
      await Promise.all(noted.map((note) => tools.recorder.write({ session: id, agentGroupID, op: 'list', received: 0, ...note })))
      return reply
    } catch {
      return problemReply(
        new ServiceError('audit-unwritable', { detail: 'the list cannot be recorded', hint: 'an operator has to look at the unit' }),
      )
    }
  }
}
