// What is missing while the gateway serves, and why: for its health, and once for the log.
import type { Clock, Logger } from '@gatehouse/kernel'
import type { Catalog } from '../catalog/catalog.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type ApproverDeps, lackOfApprovers } from '../principals/enough.ts'

export interface LackDeps extends ApproverDeps {
  readonly catalog: Pick<Catalog, 'fault'>
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'unstored'>
}

/** Milliseconds by which the clock may be ahead before anybody is told. */
const aheadMost = 60_000

const clockFault = (clock: Clock): string | undefined => {
  const ahead = clock.ahead()
  return ahead > aheadMost ? `${Math.round(ahead / 1000)} s ahead of the machine's, which was set back` : undefined
}

const actsFault = ({ ledger }: Pick<LackDeps, 'ledger'>): string | undefined => {
  const count = ledger.unstored()
  return count === 0 ? undefined : `${count} that took power away are nowhere on disk yet: they hold until the gateway ends`
}

/** By the name under which it is degraded. */
export const lacks = (deps: LackDeps): ReadonlyMap<string, string> => {
  const faults = { catalog: deps.catalog.fault(), approvers: lackOfApprovers(deps), clock: clockFault(deps.clock), acts: actsFault(deps) }
  return new Map(Object.entries(faults).flatMap(([part, reason]) => (reason === undefined ? [] : [[part, reason] as const])))
}

/** Tells the log of each when it comes and when it has passed. */
export const createTelling = (log: Logger): ((deps: LackDeps) => void) => {
  let told = new Set<string>()
  return (deps) => {
    const found = lacks(deps)
    for (const [part, reason] of found) if (!told.has(part)) log.warn('degraded', { part, reason })
    for (const part of told) if (!found.has(part)) log.info('no longer degraded', { part })
    told = new Set(found.keys())
  }
}
