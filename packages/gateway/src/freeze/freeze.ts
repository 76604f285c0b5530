// The emergency stop, of the unit or of one group: it holds at once, whether the journal can be written or not.
import { type AgentGroupID, type Freeze, Reason, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import type { Actor } from '../changes/lines.ts'
import type { Audience } from '../events/audience.ts'
import { parse } from '../input/parse.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Kept, keptOf } from '../ledger/owed.ts'
import { readGroup } from '../registry/world.ts'
import type { Freezes } from './freezes.ts'

export interface FreezeDeps {
  readonly freezes: Freezes
  readonly ledger: Ledger
  readonly store: Store
  readonly audience: Audience
  readonly log: Logger
  readonly clock: () => number
}

export interface Wish {
  /** Absent: the whole unit. */
  readonly agentGroupID?: AgentGroupID | undefined
  readonly reason: string
}

export const tellFreezes = (audience: Audience): void => {
  audience.broker('freeze-changed', {})
  audience.modelProxy('freeze-changed', {})
  audience.runner('freeze-changed', {})
  audience.channels('freeze-changed', {})
}

/** A registry that cannot be read now does not keep anybody from the stop. */
const assertThere = async ({ store, log }: FreezeDeps, agentGroupID: AgentGroupID): Promise<void> => {
  const there = await readGroup(store.read, agentGroupID).catch((error: unknown) => {
    log.error('a group is frozen without having been found', { agentGroupID, error })
    return agentGroupID
  })
  if (there === undefined)
    throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}`, hint: 'list the groups' })
}

/** Waits for nobody. What is frozen already stays frozen for its first reason. */
export const freeze = async (deps: FreezeDeps, actor: Actor, { agentGroupID, reason: given }: Wish): Promise<Freeze & Kept> => {
  const reason = parse(Reason, given, '/reason')
  if (agentGroupID !== undefined) await assertThere(deps, agentGroupID)
  const present = deps.freezes.at(agentGroupID)
  if (present !== undefined && !deps.freezes.isBeingLifted(present))
    // Which acts are on no disk is not looked at: it may be this one.
    return { ...present, ...keptOf({ journaled: false, stored: deps.ledger.unstored() === 0 }) }
  const scope = agentGroupID === undefined ? {} : { agentGroupID }
  const made: Freeze = { ...scope, reason, by: actor.principal, at: new Date(deps.clock()).toISOString() }
  deps.freezes.set(made)
  tellFreezes(deps.audience)
  const line = { edge: actor.edge, principal: actor.principal, ...scope, detail: { freeze: made } }
  return { ...made, ...keptOf(await deps.ledger.commitLate([{ stage: 'freeze', ...line }])) }
}
