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

/** Time of the day to the last digit that is not 0. */
export const shortOf = (id: ChangeID): string => withoutZeros(id.slice('chg_'.length + 8))

/** One line each: a line of an agent's own could pass for one of the card's, such as one to answer with. */
const shown = (text: string, most: number = limits.cardText): string => {
  const whole = visible(text).replace(/\s*[\n\t]\s*/g, ' ⏎ ')
  return whole.length <= most ? whole : `${whole.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const evidenceOf = ({ evidence }: Change): Card['evidence'] => {
  if (evidence === null) return 'none'
  return evidence['status'] === 'unavailable' ? 'unavailable' : digestOf(evidence)
}

export const cardOf = (secrets: Pick<Secrets, 'owns'>, change: Change): Card => {
  const { summary, requestedBy, reason, decisions, failure, expiresAt } = maskChange(secrets, change)
  const { id, kind, agentGroupID, state, risk, digest, approvals, afterToolOutput = false } = change
  return {
    changeID: id,
    short: shortOf(id),
    kind,
    agentGroupID,
    state,
    requestedBy: shown(requestedBy),
    summary: shown(summary),
    ...(reason !== undefined && reason !== '' && { reason: shown(reason) }),
    risk,
    digest,
    evidence: evidenceOf(change),
    afterToolOutput,
    approvals,
    ...(expiresAt !== undefined && { expiresAt }),
    byHand: risk === 'high',
    decisions: decisions
      .slice(-limits.cardDecisions)
      .map(({ reason: why, ...decision }) => ({ ...decision, by: shown(decision.by), ...(why !== undefined && { reason: shown(why) }) })),
    ...(failure !== undefined && { failure: { rule: failure.rule, reason: shown(failure.reason) } }),
  }
}

/** Cards that say the same have the same version. */
export const versionOf = ({ state, digest, approvals, failure }: Change): string =>
  [state, digest, approvals.given, failure?.rule ?? ''].join(' ')

/** When people are reminded of a change that waits: at half and at 90 % of its life. */
const shares = [0.5, 0.9]

const timeOf = ({ createdAt, expiresAt }: Change, share: number): number => {
  const began = Date.parse(createdAt)
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : began + (Date.parse(expiresAt) - began) * share
}

/** How many of the reminders are due; several that were missed are one. */
export const dueReminder = (change: Change, now: number): number => shares.filter((share) => timeOf(change, share) <= now).length

/** RFC 3339; null where there is no more. @param reminded how many are done */
const nextReminderAt = (change: Change, reminded: number): string | null => {
  const share = shares[reminded]
  const at = share === undefined || change.state !== 'held' ? Number.POSITIVE_INFINITY : timeOf(change, share)
  return Number.isFinite(at) ? new Date(Math.ceil(at)).toISOString() : null
}

/** The rows of cards: where each stands, and what of it was shown. */
export interface CardRow {
  readonly id: number
  readonly change_id: string
  readonly channel: ChannelName
  readonly address: string
  readonly revision: number
  readonly seen: number
  /** The version that was shown last. Null: none, and none was given out to be; empty: one was, and may be seen. */
  readonly shown: string | null
  /** Null: it stands nowhere yet. */
  readonly reference: string | null
  readonly remind_at: string | null
  readonly reminded: number
}

const columns = 'id, change_id, channel, address, revision, seen, shown, reference, remind_at, reminded'

const findCard = (rows: Rows, id: number): Promise<CardRow | undefined> =>
  rows.get<CardRow>(`SELECT ${columns} FROM cards WHERE id = ?`, [id])

export interface Wanted {
  readonly channels: readonly ChannelName[]
  readonly skip: readonly number[]
  readonly limit: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Cards about which something may be to be done. */
export const dueCards = (rows: Rows, { channels, skip, limit, now }: Wanted): Promise<CardRow[]> =>
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

/** Keeps what was done about a card. Twice is as good as once, and what came meanwhile is still to be shown. */
type Told = Params<typeof gatewayChannels, 'carded'>

/** After these a change stays what it is. */
const ends: ReadonlySet<Change['state']> = new Set(['applied', 'rejected', 'withdrawn', 'expired', 'refused'])

/** Its end was shown, or it could not be shown at all. */
const isOver = (change: Change, { act, version, failed }: Told): boolean =>
  (failed && act === 'post') || (ends.has(change.state) && version === versionOf(change))

/** A reminder says nothing new of the change; what is shown late needs none of those before. */
const next = (row: CardRow, change: Change, { act, revision, version, reference, reminder = 0 }: Told) => {
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

export const recordCardDelivery = async (deps: CardDeliveryDeps, told: Told): Promise<void> => {
  const row = await findCard(deps.store.read, told.id)
  if (row === undefined) return
  const change = await readChange(deps, row.change_id)
  await deps.store.write(async (tx) => {
    if (isOver(change, told)) {
      await tx.run('DELETE FROM cards WHERE id = ?', [row.id])
      return
    }
    const { seen, shown, reference, reminded, remind_at } = next(row, change, {
      ...told,
      ...(told.act === 'post' && { reminder: dueReminder(change, deps.clock()) }),
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
