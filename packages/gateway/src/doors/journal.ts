// The calls of people about the journal.
import type { gatewayControlPlane, journalCalls } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { readNews } from '../events/news.ts'
import { auditHead } from '../ledger/audit-head.ts'
import { createCheck } from '../ledger/check.ts'
import { pageAudit } from '../ledger/page.ts'
import type { Rooms } from '../rooms.ts'
import { entrance } from './entrance.ts'

export const journalDoor = (rooms: Rooms): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof journalCalls> => {
  const enter = entrance(rooms)
  const check = createCheck(rooms)
  return {
    audit: async ({ token, ...query }) => pageAudit(rooms, enter(token, 'audit').principal, query),
    auditHead: async ({ token }) => (enter(token, 'auditHead'), auditHead(rooms.journal)),
    auditVerify: async ({ token }) => (enter(token, 'auditVerify'), check.run()),
    news: async ({ token, ...after }) => readNews(rooms, enter(token, 'news').principal, after),
  }
}
