// Idempotency keys of submissions: the same key returns the result of the first attempt.
import { type Change, type Idempotency, limits, ServiceError, type SubmitOutcome } from '@gatehouse/contracts'
import type { Store, Transaction } from '@gatehouse/store'
import { readChange, type ReadDeps } from '../state/changes.ts'
import { outcomeOf } from './examine.ts'

export interface RepeatDeps extends ReadDeps {
  /** Milliseconds since the epoch by which keys grow old: never ahead of the clock that dates them. */
  readonly retention: () => number
}

interface KeyRow {
  readonly body: string
  readonly change_id: string
}

/** A key that was used long ago is used anew. */
export const keepKey = async (
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

/** What the first attempt led to; undefined where this is the first. Throws what the first attempt threw. */
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
      detail: `the idempotency key was used for another request, which led to ${row.change_id}`,
      hint: 'use a new key for each request',
    })
  }
  return { ...outcomeOf(await readChange(deps, row.change_id)), replayed: true }
}

/** Forgets the keys that do not count any more. */
export const forgetKeys = (deps: Pick<RepeatDeps, 'retention'> & { readonly store: Store }): Promise<unknown> =>
  deps.store.write((tx) => tx.run('DELETE FROM idempotency WHERE at <= ?', [oldest(deps)]))
