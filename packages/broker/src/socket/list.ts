// `GET /tools`: list, record once for each granted server, answer.
import { type Exchange, jsonReply, problemReply, type Reply } from '@gatehouse/kernel'
import type { CallServices } from '../calls/call.ts'
import { createRecordedList } from '../calls/recorded-list.ts'
import type { CallSession } from '../calls/session.ts'
import { createListWriter } from '../calls/tool-text.ts'

export const createListRoute = (services: CallServices) => {
  const list = createRecordedList(services)
  const write = createListWriter()
  return async (session: CallSession, exchange: Exchange): Promise<Reply> => {
    const answer = await list(session, exchange)
    return 'tools' in answer ? jsonReply(write(answer.tools)) : problemReply(answer.fault)
  }
}
