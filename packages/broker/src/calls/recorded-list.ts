// A list with its records, one for each granted server. A list that cannot be recorded is not answered.
import { isServiceError, ServiceError, toServiceError } from '@gatehouse/contracts'
import { Abandoned, type Exchange } from '@gatehouse/kernel'
import type { Pending, RecordInput } from '../records/recorder.ts'
import type { CallServices } from './call.ts'
import { createList, type ServerList } from './list.ts'
import { getRecordStatus } from './outcome.ts'
import type { CallSession } from './session.ts'
import type { ToolText } from './tool-text.ts'

export type ListRequest = Pick<Exchange, 'signal' | 'started'>

export type ListAnswer = { readonly tools: readonly ToolText[] } | { readonly fault: ServiceError }

type ListSummary = Pick<RecordInput, 'server' | 'status' | 'code' | 'sent' | 'duration'>

const emptyBytes = Buffer.byteLength('{"tools":[]}')

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

const unwritable = (): ServiceError =>
  new ServiceError('audit-unwritable', { detail: 'the list cannot be recorded', hint: 'an operator has to look at the unit' })

interface Collected {
  readonly summaries: readonly ListSummary[]
  readonly answer: ListAnswer
}

export const createRecordedList = (services: CallServices) => {
  const list = createList(services)
  const collect = async (session: CallSession, { signal, started }: ListRequest): Promise<Collected> => {
    try {
      const servers = await list(session, signal)
      const summaries = servers.map(summarizeServer)
      const none: ListSummary = { server: '', status: 'ok', sent: emptyBytes, duration: performance.now() - started }
      return { summaries: summaries.length === 0 ? [none] : summaries, answer: { tools: servers.flatMap(({ tools }) => tools) } }
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error
      return {
        summaries: [summarizeFault(cause, performance.now() - started)],
        answer: { fault: cause instanceof Abandoned ? new ServiceError('deadline') : toServiceError(error) },
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
  return async (session: CallSession, request: ListRequest): Promise<ListAnswer> => {
    const first = services.recorder.begin(session, 'list')
    const { summaries, answer } = await collect(session, request)
    try {
      await record(session, first, summaries)
      return answer
    } catch {
      return { fault: unwritable() }
    }
  }
}
