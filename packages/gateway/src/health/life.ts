// How the gateway is: what the supervisor asks it.
import { Change, type Health } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import type { Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Ledger } from '../ledger/ledger.ts'
import type { OpenSessions } from '../sessions/open-sessions.ts'
import { type LackDeps, lacks } from './lacks.ts'

export interface LifeDeps extends LackDeps {
  readonly store: Store
  readonly journal: Journal
  readonly ledger: Ledger
  readonly sessions: OpenSessions
  readonly metrics: Metrics
}

const countHeld = async ({ store }: LifeDeps): Promise<number> =>
  (await store.read.get<{ held: number }>(`SELECT count(*) AS held FROM changes WHERE state = 'held'`))?.held ?? 0

const degraded = (deps: LifeDeps): string[] => [
  ...(deps.ledger.fault() === undefined ? [] : ['journal']),
  ...(deps.journal.hasReserve() ? [] : ['disk']),
  ...lacks(deps).keys(),
]

/** Failed where nothing can be decided; a gateway that cannot decide still answers what is. */
export const health = async (deps: LifeDeps): Promise<Health> => {
  const fault = deps.ledger.fault()
  const broken = degraded(deps)
  return {
    status: fault !== undefined ? 'failed' : broken.length > 0 ? 'degraded' : 'ready',
    degraded: broken,
    facts: {
      held: await countHeld(deps),
      sessions: deps.sessions.all().length,
      head: deps.journal.head().seq,
      ...(fault === undefined ? {} : { journal: fault }),
      ...Object.fromEntries(lacks(deps)),
    },
  }
}

const oldestHeld = async ({ store, clock }: LifeDeps): Promise<number> => {
  const row = await store.read.get<{ record: string }>(`SELECT record FROM changes WHERE state = 'held' ORDER BY id LIMIT 1`)
  return row === undefined ? 0 : Math.max(0, (clock() - Date.parse(v.parse(Change, JSON.parse(row.record)).createdAt)) / 1000)
}

/** Gauges are measured when somebody looks. */
export const readMetrics = async (deps: LifeDeps): Promise<Record<string, unknown>[]> => {
  deps.metrics.gauge('gateway_held_changes').set(await countHeld(deps))
  deps.metrics.gauge('gateway_oldest_held_seconds').set(await oldestHeld(deps))
  deps.metrics.gauge('audit_writable').set(deps.ledger.fault() === undefined ? 1 : 0)
  return (await deps.metrics.json()).map((metric) => ({ ...metric }))
}
