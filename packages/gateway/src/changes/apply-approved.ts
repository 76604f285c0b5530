// Applies what was approved and not applied: at start, when a freeze is lifted, and after a fault until nothing is left.
import type { AgentGroupID, Change } from '@gatehouse/contracts'
import { apply, type ApplyDeps } from './apply.ts'
import { itself } from './lines.ts'
import { changeLock } from './lock.ts'
import { type ChangeRow, readChange, toChange } from './read.ts'

/** One that cannot be understood keeps no other from being applied. */
const readable = ({ log }: ApplyDeps, row: ChangeRow & { readonly id: string }): Change[] => {
  try {
    return [toChange(row)]
  } catch (error) {
    log.error('an approved change cannot be read, and is not applied', { change: row.id, error })
    return []
  }
}

/** Resolves with how many are left, but for those that a freeze holds back. */
export const applyApproved = async (deps: ApplyDeps): Promise<number> => {
  await deps.ledger.settle()
  const rows = await deps.store.read.all<ChangeRow & { readonly id: string }>(
    `SELECT id, record FROM changes WHERE state = 'approved' ORDER BY id`,
  )
  const changes = rows.flatMap((row) => readable(deps, row))
  const frozen = new Map(changes.map(({ agentGroupID }) => [agentGroupID, deps.freezes.of(agentGroupID)]))
  // A freeze that is lifted meanwhile ends with the next run: else later changes would overtake those that it held back.
  const freezes = { of: (agentGroupID: AgentGroupID) => frozen.get(agentGroupID) ?? deps.freezes.of(agentGroupID) }
  let left = 0
  for (const { agentGroupID, id } of changes) {
    const after = await deps.lock(agentGroupID, () =>
      deps.lock(changeLock(id), async () => apply({ ...deps, freezes }, itself, await readChange(deps, id))),
    )
    if (after.state === 'approved' && deps.freezes.of(agentGroupID) === undefined) left += 1
  }
  return left
}
