// The bare news of journal lines, without their detail: as they come, and as they came.
import type { AuditEntry, News, Principal } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import { sees } from '../principals/scope.ts'

/** Checkpoints are the journal's own affair. */
const isNews = ({ stage }: AuditEntry): boolean => stage !== 'checkpoint'

const toNews = ({ seq, time, stage, principal, by, changeID, kind, agentGroupID }: AuditEntry): News => ({
  seq,
  time,
  stage,
  principal,
  ...(by === undefined ? {} : { by }),
  ...(changeID === undefined ? {} : { changeID }),
  ...(kind === undefined ? {} : { kind }),
  ...(agentGroupID === undefined ? {} : { agentGroupID }),
})

export const newsOf = (entries: readonly AuditEntry[]): News[] => entries.filter(isNews).map(toNews)

export interface After {
  readonly after: number
  readonly limit: number
}

/** What came after a line, oldest first, as far as the principal may see it. `head` is the last line there is. */
export const readNews = async (
  journal: Journal,
  principal: Principal,
  { after, limit }: After,
): Promise<{ items: News[]; head: number }> => {
  const head = journal.head().seq
  const items: News[] = []
  if (after >= head) return { items, head }
  for await (const entry of journal.entriesAfter(Math.max(0, after))) {
    if (items.length >= limit) break
    if (isNews(entry) && sees(principal, entry.agentGroupID)) items.push(toNews(entry))
  }
  return { items, head }
}
