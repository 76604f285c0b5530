// The rows of cards: where each stands, and what of it was shown.
import type { ChannelName } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'

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

export const findCard = (rows: Rows, id: number): Promise<CardRow | undefined> =>
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
