// Applies what was approved and not applied: at start, and again after a fault until nothing is left.
import { apply, type ApplyDeps } from './apply.ts'
import { itself } from './lines.ts'
import type { Lock } from './lock.ts'
import { type ChangeRow, toChange } from './read.ts'

export interface ApplyApprovedDeps extends ApplyDeps {
  readonly lock: Lock
}

/** Resolves with how many are left. */
export const applyApproved = async (deps: ApplyApprovedDeps): Promise<number> => {
  await deps.ledger.settle()
  const rows = await deps.store.read.all<ChangeRow>(`SELECT record FROM changes WHERE state = 'approved' ORDER BY id`)
  let left = 0
  for (const { agentGroupID, id } of rows.map(toChange)) {
    const after = await deps.lock(agentGroupID, async () => {
      const row = await deps.store.read.get<ChangeRow>('SELECT record FROM changes WHERE id = ?', [id])
      return row === undefined ? undefined : apply(deps, itself, toChange(row))
    })
    if (after?.state === 'approved') left += 1
  }
  return left
}
