// Freezes the unit or one group. A freeze is in force at once, whether or not the journal can be written.
import { type AgentGroupID, type Freeze, type Principal, Reason, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { parse } from './input.ts'
import { type Kept, keptOf } from './ledger/append.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Actor } from './state/change-records.ts'
import type { Freezes } from './state/freezes.ts'
import type { Lock } from './state/lock.ts'
import { sees } from './state/roles.ts'
import type { Subscribers } from './state/subscribers.ts'
import { readGroup } from './state/unit-config.ts'

interface FreezeDeps {
  readonly freezes: Freezes
  readonly ledger: Ledger
  readonly store: Store
  readonly subscribers: Subscribers
  readonly log: Logger
  readonly clock: () => number
}

interface Wish {
  /** Absent: the whole unit. */
  readonly agentGroupID?: AgentGroupID | undefined
  readonly reason: string
}

const tellFreezes = (subscribers: Subscribers): void => {
  subscribers.broker('freeze-changed', {})
  subscribers.modelProxy('freeze-changed', {})
  subscribers.runner('freeze-changed', {})
  subscribers.channels('freeze-changed', {})
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
  tellFreezes(deps.subscribers)
  const line = { edge: actor.edge, principal: actor.principal, ...scope, detail: { freeze: made } }
  return { ...made, ...keptOf(await deps.ledger.commitLate([{ stage: 'freeze', ...line }])) }
}

/** Lifts a freeze: journaled first, and then what waited goes on. */
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
      tellFreezes(deps.subscribers)
      deps.retry()
    }
  })
}

/** The freezes that a principal may know of: the unit's concerns everybody. */
export const listFreezes = (freezes: Freezes, principal: Principal): { items: Freeze[] } => ({
  items: freezes.all().filter(({ agentGroupID }) => agentGroupID === undefined || sees(principal, agentGroupID)),
})
