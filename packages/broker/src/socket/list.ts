// `GET /tools`: list, write down once for each granted server, answer.
import { isServiceError, ServiceError, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange, jsonReply, problemReply, type Reply } from '@gatehouse/kernel'
import type { CallTools } from '../calls/handle.ts'
import { createList, type ServerList } from '../calls/list.ts'
import { statusOf } from '../calls/outcome.ts'
import type { Pending, RecordInput } from '../calls/record.ts'
import type { CallSession } from '../calls/session.ts'
import { createListWriter } from './written-lists.ts'

type Noted = Pick<RecordInput, 'server' | 'status' | 'code' | 'sent' | 'duration'>

const bytesOf = ({ tools }: ServerList): number => tools.reduce((sum, { bytes }) => sum + bytes, 0)

const noteServer = (list: ServerList): Noted => ({
  server: list.server,
  status: list.status,
  ...(list.status === 'error' && { code: 'server-unavailable' as const }),
  ...(list.status === 'cancelled' && { code: list.status }),
  sent: list.status === 'cancelled' ? 0 : bytesOf(list),
  duration: list.duration,
})

/** The gateway could not be asked or says that nothing is listed now, or the caller left before it answered. */
const noteFault = (error: unknown, duration: number): Noted => {
  if (error instanceof Abandoned) return { server: '', status: statusOf(error.code), code: error.code, sent: 0, duration }
  if (isServiceError(error) && error.code === 'frozen') return { server: '', status: 'refused', code: error.code, sent: 0, duration }
  return { server: '', status: 'error', sent: 0, duration }
}

const unwritable = (): Reply =>
  problemReply(new ServiceError('audit-unwritable', { detail: 'the list cannot be recorded', hint: 'an operator has to look at the unit' }))

export const createListRoute = (tools: CallTools) => {
  const list = createList(tools)
  const write = createListWriter()
  const collect = async (session: CallSession, { signal, started }: Exchange): Promise<{ noted: Noted[]; reply: Reply }> => {
    try {
      const servers = await list(session, signal)
      const reply = jsonReply(write(servers.flatMap((server) => server.tools)))
      const noted = servers.map(noteServer)
      const none: Noted = { server: '', status: 'ok', sent: reply.bytes, duration: performance.now() - started }
      return { noted: noted.length === 0 ? [none] : noted, reply }
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error
      const noted = noteFault(cause, performance.now() - started)
      return { noted: [noted], reply: problemReply(cause instanceof Abandoned ? new ServiceError('deadline') : toServiceError(error)) }
    }
  }
  /** The first of the servers takes the place of the list itself. */
  const record = async (session: CallSession, first: Pending, noted: readonly Noted[]): Promise<void> => {
    if (noted[0] !== undefined) first.aim({ server: noted[0].server })
    const begun = noted.map((note, index) => {
      const pending = index === 0 ? first : tools.recorder.begin(session, 'list', { server: note.server })
      return { note, pending }
    })
    await Promise.all(begun.map(({ note, pending }) => pending.write({ received: 0, ...note })))
  }
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const first = tools.recorder.begin(session, 'list')
    const { noted, reply } = await collect(session, exchange)
    try {
      await record(session, first, noted)
      return reply
    } catch {
      return unwritable()
    }
  }
}
