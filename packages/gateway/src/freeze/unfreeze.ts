// Lifts a freeze: journaled first, and then what waited goes on.
import { Reason, ServiceError } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import type { Lock } from '../changes/lock.ts'
import { parse } from '../input/parse.ts'
import { type FreezeDeps, tellFreezes, type Wish } from './freeze.ts'

export interface UnfreezeDeps extends FreezeDeps {
  readonly lock: Lock
  /** Approved changes may be waiting. */
  retry(): void
}

/** No group has a space in its id. */
const unfreezeLock = 'the freezes'

const notFrozen = (agentGroupID: string | undefined): ServiceError =>
  new ServiceError('not-found', {
    detail: `${agentGroupID === undefined ? 'the unit' : `the agent group ${agentGroupID}`} is not frozen`,
    hint: 'list the freezes: the unit and each group have their own',
  })

export const unfreeze = async (deps: UnfreezeDeps, actor: Actor, { agentGroupID, reason: given }: Wish): Promise<void> => {
  const reason = parse(Reason, given, '/reason')
  await deps.lock(unfreezeLock, async () => {
    const present = deps.freezes.at(agentGroupID)
    if (present === undefined) throw notFrozen(agentGroupID)
    const scope = agentGroupID === undefined ? {} : { agentGroupID }
    const line = { edge: actor.edge, principal: actor.principal, ...scope, detail: { ...scope, reason } }
    try {
      await deps.freezes.lift(present, () => deps.ledger.commit([{ stage: 'unfreeze', ...line }]))
    } finally {
      tellFreezes(deps.audience)
      deps.retry()
    }
  })
}
