// Removes old messages from a queue, and whole queues. Pending messages stay, and so does the newest one, which holds the last
// sequence number.
import { rm } from 'node:fs/promises'
import { MessageID, type SessionID, stateFiles } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { forgetFiles } from './copies.ts'
import { countDeliveries, type Counted } from './delivery.ts'

const oldMessages = `FROM messages WHERE at < ? AND (direction = 'out' OR acked = 1) AND seq < (SELECT max(seq) FROM messages)`
/** That a message was not delivered is kept no longer than the message. */
const orphans = 'FROM dead_letters WHERE id NOT IN (SELECT id FROM messages)'

const Letters = v.array(v.object({ id: MessageID }))

export interface Forgotten {
  /** Messages that went. */
  readonly forgotten: number
  /** Those of which it is not known any more that they were not delivered. */
  readonly letters: readonly MessageID[]
  /** For a channel to take. */
  readonly left: Counted
}

/** `before`: RFC 3339. */
export const forgetBefore = async (store: Store, before: string): Promise<Forgotten> =>
  store.write(async (tx) => {
    const { changes } = await tx.run(`DELETE ${oldMessages}`, [before])
    if (changes > 0) await forgetFiles(tx)
    const letters = v.parse(Letters, await tx.all(`SELECT id ${orphans}`))
    await tx.run(`DELETE ${orphans}`)
    return { forgotten: changes, letters: letters.map(({ id }) => id), left: await countDeliveries(tx) }
  })

/** Asked first, so that a queue in which nothing is old is not written to. */
export const hasBefore = async (store: Store, before: string): Promise<boolean> =>
  (await store.read.get(`SELECT 1 AS found WHERE EXISTS (SELECT 1 ${oldMessages}) OR EXISTS (SELECT 1 ${orphans})`, [before])) !== undefined

/** Removes a queue for good: the key, then what it opened. */
const remove = async (path: string): Promise<boolean> => {
  try {
    await rm(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** Resolves with whether there was anything. Nobody may have it open. */
export const removeQueue = async ({ stateDir }: { readonly stateDir: string }, session: SessionID): Promise<boolean> => {
  const queue = `${stateDir}/${stateFiles.queues}/${session}.db`
  const removed: boolean[] = []
  for (const path of [`${stateDir}/${stateFiles.keys}/${session}.key`, queue, `${queue}-wal`, `${queue}-shm`])
    removed.push(await remove(path))
  return removed.includes(true)
}
