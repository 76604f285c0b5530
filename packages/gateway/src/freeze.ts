// Freezes the unit or one group. A freeze is in force at once, whether or not the journal can be written.
import { type AgentGroupID, type Freeze, type Principal, Reason, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { parse } from './input.ts'
import { type Durability, getDurability } from './ledger/append.ts'
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

interface FreezeRequest {
  /** Absent for the whole unit. */
  readonly agentGroupID?: AgentGroupID | undefined
  readonly reason: string
}

const publishFreezes = (subscribers: Subscribers): void => {
  subscribers.broker('freeze-changed', {})
  subscribers.modelProxy('freeze-changed', {})
  subscribers.runner('freeze-changed', {})
  subscribers.channels('freeze-changed', {})
}

/** A database that cannot be read does not prevent a freeze. */
const assertGroupExists = async ({ store, log }: FreezeDeps, agentGroupID: AgentGroupID): Promise<void> => {
  const group = await readGroup(store.read, agentGroupID).catch((error: unknown) => {
    log.error('freezing a group whose record could not be read', { agentGroupID, error })
    return agentGroupID
  })
  if (group === undefined) throw new ServiceError('not-found', { detail: `agent group ${agentGroupID} not found`, hint: 'list the groups' })
}

/** Freezes immediately. A scope that is already frozen keeps its first reason. */
export const freeze = async (
  deps: FreezeDeps,
  actor: Actor,
  { agentGroupID, reason: input }: FreezeRequest,
): Promise<Freeze & Durability> => {
  const reason = parse(Reason, input, '/reason')
  if (agentGroupID !== undefined) await assertGroupExists(deps, agentGroupID)
  const present = deps.freezes.at(agentGroupID)
  if (present !== undefined && !deps.freezes.isBeingLifted(present))
    // The unpersisted act may be this freeze.
    return { ...present, ...getDurability({ journaled: false, stored: deps.ledger.unpersisted() === 0 }) }
  const scope = agentGroupID === undefined ? {} : { agentGroupID }
  const created: Freeze = { ...scope, reason, by: actor.principal, at: new Date(deps.clock()).toISOString() }
  deps.freezes.set(created)
  publishFreezes(deps.subscribers)
  const line = { edge: actor.edge, principal: actor.principal, ...scope, detail: { freeze: created } }
  return { ...created, ...getDurability(await deps.ledger.commitLate([{ stage: 'freeze', ...line }])) }
}

export interface UnfreezeDeps extends FreezeDeps {
  readonly lock: Lock
  /** Schedules approved changes that the freeze stopped. */
  retry(): void
}

/** Not a group id, because it contains a space. */
const unfreezeLock = 'the freezes'

const notFrozen = (agentGroupID: string | undefined): ServiceError =>
  new ServiceError('not-found', {
    detail: `${agentGroupID === undefined ? 'the unit' : `the agent group ${agentGroupID}`} is not frozen`,
    hint: 'list the freezes: the unit and each group have their own',
  })

/** Lifts a freeze after it is journaled, and resumes the changes that it stopped. */
export const unfreeze = async (deps: UnfreezeDeps, actor: Actor, { agentGroupID, reason: input }: FreezeRequest): Promise<void> => {
  const reason = parse(Reason, input, '/reason')
  await deps.lock(unfreezeLock, async () => {
    const present = deps.freezes.at(agentGroupID)
    if (present === undefined) throw notFrozen(agentGroupID)
    const scope = agentGroupID === undefined ? {} : { agentGroupID }
    const line = { edge: actor.edge, principal: actor.principal, ...scope, detail: { ...scope, reason } }
    try {
      await deps.freezes.lift(present, () => deps.ledger.commit([{ stage: 'unfreeze', ...line }]))
    } finally {
      publishFreezes(deps.subscribers)
      deps.retry()
    }
  })
}

/** The freezes that a principal may see. Everyone may see the freeze of the unit. */
export const listFreezes = (freezes: Freezes, principal: Principal): { items: Freeze[] } => ({
  items: freezes.all().filter(({ agentGroupID }) => agentGroupID === undefined || sees(principal, agentGroupID)),
})
