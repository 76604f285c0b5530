// Idempotency keys of submissions: the same key returns the result of the first attempt.
import { type Change, type Idempotency, limits, ServiceError, type SubmitOutcome } from '@gatehouse/contracts'
import type { Store, Transaction } from '@gatehouse/store'
import { readChange, type ReadDeps } from '../state/changes.ts'
import { getOutcome } from './examine.ts'

export interface RepeatDeps extends ReadDeps {
  /** The clock that expires keys, in milliseconds since the epoch. Never ahead of the clock that dates them. */
  readonly retention: () => number
}

interface KeyRow {
  readonly body: string
  readonly change_id: string
}

/** Stores a key. An expired key can be used again. */
export const storeKey = async (
  tx: Transaction,
  { id, principal, createdAt }: Pick<Change, 'id' | 'principal' | 'createdAt'>,
  { route, key, body }: Idempotency,
): Promise<void> => {
  await tx.run(
    `INSERT INTO idempotency (principal, route, key, body, change_id, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (principal, route, key) DO UPDATE SET body = excluded.body, change_id = excluded.change_id, at = excluded.at`,
    [principal, route, key, body, id, createdAt],
  )
}

const oldest = ({ retention }: Pick<RepeatDeps, 'retention'>): string => new Date(retention() - limits.idempotencyTime).toISOString()

/** The result of the first attempt with this key; undefined if this is the first. Throws the error of the first attempt. */
export const findAttempt = async (
  deps: RepeatDeps,
  principal: string,
  { route, key, body }: Idempotency,
): Promise<SubmitOutcome | undefined> => {
  const row = await deps.store.read.get<KeyRow>(
    'SELECT body, change_id FROM idempotency WHERE principal = ? AND route = ? AND key = ? AND at > ?',
    [principal, route, key, oldest(deps)],
  )
  if (row === undefined) return undefined
  if (row.body !== body) {
    throw new ServiceError('conflict', {
      detail: `this idempotency key was already used for a different request (${row.change_id})`,
      hint: 'use a new key for each request',
    })
  }
  return { ...getOutcome(await readChange(deps, row.change_id)), replayed: true }
}

/** Deletes expired keys. */
export const deleteExpiredKeys = (deps: Pick<RepeatDeps, 'retention'> & { readonly store: Store }): Promise<unknown> =>
  deps.store.write((tx) => tx.run('DELETE FROM idempotency WHERE at <= ?', [oldest(deps)]))
