// Forgets what was said long ago. What waits for the agent stays, and so does the newest message, whose number is the last
// that was given.
import type { Store } from '@gatehouse/store'
import { forgetFiles } from './copies.ts'
import { countDeliveries, type Counted } from './delivery.ts'

/** Resolves with how many went, and what is left for a channel to take. `before`: RFC 3339. */
export const forgetBefore = async (store: Store, before: string): Promise<{ readonly forgotten: number; readonly left: Counted }> =>
  store.write(async (tx) => {
    const { changes } = await tx.run(
      `DELETE FROM messages WHERE at < ? AND (direction = 'out' OR acked = 1) AND seq < (SELECT max(seq) FROM messages)`,
      [before],
    )
    if (changes > 0) await forgetFiles(tx)
    return { forgotten: changes, left: await countDeliveries(tx) }
  })

/** Asked first, so that a queue in which nothing is old is not written to. */
export const hasBefore = async (store: Store, before: string): Promise<boolean> =>
  (await store.read.get(
    `SELECT 1 AS found FROM messages WHERE at < ? AND (direction = 'out' OR acked = 1) AND seq < (SELECT max(seq) FROM messages) LIMIT 1`,
    [before],
  )) !== undefined
