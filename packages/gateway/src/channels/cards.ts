// Approval cards of changes: masked text, delivery records and reminders.
import {
  type Card,
  type Change,
  type ChangeID,
  type ChannelName,
  type gatewayChannels,
  limits,
  type Params,
  visible,
} from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import { maskChange, type Secrets } from '../secrets.ts'
import { readChange, type ReadDeps } from '../state/changes.ts'

export const withoutZeros = (time: string): string => (time.includes('.') ? time.replace(/\.?0+$/, '') : time)

/** The short form of an id: its time of day without trailing zeros. */
export const toShortID = (id: ChangeID): string => withoutZeros(id.slice('chg_'.length + 8))

/** Text on one line. Otherwise an agent's text could imitate a line of the card, such as a command. */
const toLine = (text: string, maxLength: number = limits.cardText): string => {
  const whole = visible(text).replace(/\s*[\n\t]\s*/g, ' ⏎ ')
  return whole.length <= maxLength ? whole : `${whole.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const toCardEvidence = ({ evidence }: Change): Card['evidence'] => {
  if (evidence === null) return 'none'
  return evidence['status'] === 'unavailable' ? 'unavailable' : digestOf(evidence)
}

export const cardOf = (secrets: Pick<Secrets, 'owns'>, change: Change): Card => {
  const { summary, requestedBy, reason, decisions, failure, expiresAt } = maskChange(secrets, change)
  const { id, kind, agentGroupID, state, risk, digest, approvals, afterToolOutput = false } = change
  return {
    changeID: id,
    short: toShortID(id),
    kind,
    agentGroupID,
    state,
    requestedBy: toLine(requestedBy),
    summary: toLine(summary),
    ...(reason !== undefined && reason !== '' && { reason: toLine(reason) }),
    risk,
    digest,
    evidence: toCardEvidence(change),
    afterToolOutput,
    approvals,
    ...(expiresAt !== undefined && { expiresAt }),
    byHand: risk === 'high',
    decisions: decisions.slice(-limits.cardDecisions).map(({ reason: decisionReason, ...decision }) => ({
      ...decision,
      by: toLine(decision.by),
      ...(decisionReason !== undefined && { reason: toLine(decisionReason) }),
    })),
    ...(failure !== undefined && { failure: { rule: failure.rule, reason: toLine(failure.reason) } }),
  }
}

/** Cards with the same content have the same version. */
export const getVersion = ({ state, digest, approvals, failure }: Change): string =>
  [state, digest, approvals.given, failure?.rule ?? ''].join(' ')

/** Reminders of a pending change are sent at 50 % and 90 % of its lifetime. */
const reminderShares = [0.5, 0.9]

const reminderTime = ({ createdAt, expiresAt }: Change, share: number): number => {
  const began = Date.parse(createdAt)
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : began + (Date.parse(expiresAt) - began) * share
}

/** Number of reminders that are due. Several missed reminders are sent as one. */
export const dueReminder = (change: Change, now: number): number =>
  reminderShares.filter((share) => reminderTime(change, share) <= now).length

/** Time of the next reminder in RFC 3339; null if there is none. @param reminded number of reminders sent */
const nextReminderAt = (change: Change, reminded: number): string | null => {
  const share = reminderShares[reminded]
  const at = share === undefined || change.state !== 'held' ? Number.POSITIVE_INFINITY : reminderTime(change, share)
  return Number.isFinite(at) ? new Date(Math.ceil(at)).toISOString() : null
}

export interface CardRow {
  readonly id: number
  readonly change_id: string
  readonly channel: ChannelName
  readonly address: string
  readonly revision: number
  readonly seen: number
  /** The version that was shown last; null if none was handed out, empty if one was handed out and may be visible. */
  readonly shown: string | null
  /** The posted message; null if it was not posted yet. */
  readonly reference: string | null
  readonly remind_at: string | null
  readonly reminded: number
}

const columns = 'id, change_id, channel, address, revision, seen, shown, reference, remind_at, reminded'

const findCard = (rows: Rows, id: number): Promise<CardRow | undefined> =>
  rows.get<CardRow>(`SELECT ${columns} FROM cards WHERE id = ?`, [id])

export interface DueQuery {
  readonly channels: readonly ChannelName[]
  readonly skip: readonly number[]
  readonly limit: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Cards that may need work. */
export const dueCards = (rows: Rows, { channels, skip, limit, now }: DueQuery): Promise<CardRow[]> =>
  rows.all<CardRow>(
    `SELECT ${columns} FROM (SELECT * FROM cards WHERE revision > seen UNION SELECT * FROM cards WHERE remind_at <= ?1)
       WHERE channel IN (SELECT value FROM json_each(?2)) AND id NOT IN (SELECT value FROM json_each(?3)) ORDER BY change_id, id LIMIT ?4`,
    [new Date(now).toISOString(), JSON.stringify(channels), JSON.stringify(skip), limit],
  )

export const nextReminder = async (rows: Rows, channels: readonly ChannelName[]): Promise<string | undefined> =>
  (
    await rows.get<{ at: string | null }>(
      'SELECT min(remind_at) AS at FROM cards WHERE remind_at IS NOT NULL AND channel IN (SELECT value FROM json_each(?))',
      [JSON.stringify(channels)],
    )
  )?.at ?? undefined

type DeliveryReport = Params<typeof gatewayChannels, 'carded'>

/** Final states. */
const finalStates: ReadonlySet<Change['state']> = new Set(['applied', 'rejected', 'withdrawn', 'expired', 'refused'])

/** Whether the final state was shown, or the card could not be posted at all. */
const isComplete = (change: Change, { act, version, failed }: DeliveryReport): boolean =>
  (failed && act === 'post') || (finalStates.has(change.state) && version === getVersion(change))

/** The new row. A reminder does not change what is shown; a card that is posted late skips the earlier reminders. */
const nextRow = (row: CardRow, change: Change, { act, revision, version, reference, reminder = 0 }: DeliveryReport) => {
  const reminded = Math.max(row.reminded, reminder)
  return {
    seen: Math.max(row.seen, act === 'remind' ? 0 : revision),
    shown: act === 'remind' ? row.shown : version,
    reference: reference === undefined ? row.reference : JSON.stringify(reference),
    reminded,
    remind_at: nextReminderAt(change, reminded),
  }
}

export interface CardDeliveryDeps extends ReadDeps {
  readonly clock: () => number
}

/** Stores a delivery report. Idempotent; newer revisions of the change are still sent. */
export const recordCardDelivery = async (deps: CardDeliveryDeps, report: DeliveryReport): Promise<void> => {
  const row = await findCard(deps.store.read, report.id)
  if (row === undefined) return
  const change = await readChange(deps, row.change_id)
  await deps.store.write(async (tx) => {
    if (isComplete(change, report)) {
      await tx.run('DELETE FROM cards WHERE id = ?', [row.id])
      return
    }
    const { seen, shown, reference, reminded, remind_at } = nextRow(row, change, {
      ...report,
      ...(report.act === 'post' && { reminder: dueReminder(change, deps.clock()) }),
    })
    await tx.run('UPDATE cards SET seen = ?, shown = ?, reference = ?, reminded = ?, remind_at = ? WHERE id = ?', [
      seen,
      shown,
      reference,
      reminded,
      remind_at,
      row.id,
    ])
  })
}
