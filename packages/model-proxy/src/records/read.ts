// Reads model call records: tokens used today, and pages for people. Also the clock that dates records.
import { limits, ModelCallRecord, type modelProxyControlPlane, type Params, type Result, ServiceError } from '@gatehouse/contracts'
import { callsPerQuery, readCalls, type RecordPosition, type Records } from '@gatehouse/journal'
import { type Clock, createClock, type Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type Budget, dayOf } from '../budget.ts'

type Filter = Params<typeof modelProxyControlPlane, 'records'>
type Page = Result<typeof modelProxyControlPlane, 'records'>

const Spent = v.looseObject({ time: v.string(), agentGroupID: v.nullable(v.string()), tokensIn: v.number(), tokensOut: v.number() })

/** The clock continues from the newest record, so that a start after the clock was set back does not begin an earlier day. */
export const reachNewest = async (records: Pick<Records, 'read'>, clock: RecordClock): Promise<void> => {
  const { items } = await records.read({ isWanted: (record) => v.is(Spent, record), limit: 1, before: undefined, max: callsPerQuery })
  for (const { time } of v.parse(v.array(Spent), items)) {
    const at = Date.parse(time)
    if (!Number.isNaN(at)) clock.reach(at)
  }
}

/**
 * Records are in the order of their ends, so the first of an earlier day ends the search. One of a later day is from before the
 * clock was corrected, and counts for today as well: otherwise a step forward and back would grant a group its budget twice.
 */
export const recallSpending = async (records: Pick<Records, 'read'>, budget: Budget, now: number): Promise<void> => {
  const today = dayOf(now)
  let before: RecordPosition | undefined
  const search = { isOver: false }
  do {
    const page = await records.read({
      isWanted: (record) => {
        if (!v.is(Spent, record)) return false
        const day = record.time.slice(0, today.length)
        search.isOver ||= day < today
        if (!search.isOver && record.agentGroupID !== null) budget.recall(record.agentGroupID, record.tokensIn + record.tokensOut, day)
        return search.isOver
      },
      limit: 1,
      before,
      max: callsPerQuery,
    })
    before = page.next
  } while (before !== undefined && !search.isOver)
}

const matches = (record: ModelCallRecord, { agentGroupIDs, session, provider, outcome, since, until }: Filter): boolean =>
  (agentGroupIDs === undefined || agentGroupIDs.some((id) => id === record.agentGroupID)) &&
  (session === undefined || record.session === session) &&
  (provider === undefined || record.provider === provider) &&
  (outcome === undefined || record.outcome === outcome) &&
  (since === undefined || record.time >= since) &&
  (until === undefined || record.time < until)

const parseCursor = (cursor: string | undefined): RecordPosition | undefined => {
  if (cursor === undefined) return undefined
  const parts = /^(\d{1,9})-(\d{1,15})$/.exec(cursor)
  if (parts === null) throw new ServiceError('invalid', { detail: 'cursor: expected one that an answer named, got another text' })
  return { file: Number(parts[1]), offset: Number(parts[2]) }
}

/** Newest first. A page may have fewer items than requested and still have a next page, because the search is limited. */
export const readPage = async (records: Pick<Records, 'read'>, filter: Filter): Promise<Page> => {
  const { items, next } = await readCalls(records, {
    schema: ModelCallRecord,
    matches: (record) => matches(record, filter),
    limit: filter.limit ?? limits.pageSize,
    before: parseCursor(filter.cursor),
  })
  return { items, ...(next && { nextCursor: `${next.file}-${next.offset}` }) }
}

/** Milliseconds. */
const maxAhead = 2 * 24 * 60 * 60_000

export type RecordClock = Pick<Clock, 'reach'> & (() => number)

export const createRecordClock = (source: () => number, log: Logger): RecordClock => {
  let clock = createClock(source)
  const now = (): number => {
    const ahead = clock.ahead()
    if (ahead > maxAhead) {
      log.warn('the clock was set back by more than two days: model call records and daily budgets follow it', {
        seconds: Math.round(ahead / 1000),
      })
      clock = createClock(source)
    }
    return clock()
  }
  return Object.assign(now, { reach: (time: number) => clock.reach(time) })
}
