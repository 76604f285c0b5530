// Tells whom it concerns what the journal has just made true, and counts it. Runs after each transaction, never fails it.
import { type AuditEntry, type Change, ChangeID, SessionID } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { ApplyDetail } from '../changes/lines.ts'
import { findChange } from '../changes/read.ts'
import type { GrantTable } from '../grants/table.ts'
import { kindTable } from '../kinds/index.ts'
import type { Audience } from './audience.ts'

export interface AnnounceDeps {
  readonly store: Store
  readonly table: GrantTable
  readonly audience: Audience
  readonly log: Logger
  readonly metrics: Metrics
}

/** Stages after which a change is what it will stay, by the name that the metric gives it. */
const outcomes: Readonly<Record<string, string>> = {
  refuse: 'refused',
  reject: 'rejected',
  apply: 'applied',
  'apply-failed': 'apply_failed',
}

const count = (metrics: Metrics, entries: readonly AuditEntry[]): void => {
  for (const { stage, kind } of entries) {
    const outcome = outcomes[stage]
    if (outcome !== undefined && kind !== undefined) metrics.counter('gateway_decisions_total').inc({ kind, outcome })
  }
}

const tellRequester = (audience: Audience, change: Change): void => {
  if (!['rejected', 'applied', 'apply_failed'].includes(change.state) || !change.principal.startsWith('session:')) return
  const session = v.parse(SessionID, change.principal.slice('session:'.length))
  const reason = change.failure?.reason ?? change.decisions.at(-1)?.reason
  audience.runner('change-decided', {
    session,
    id: change.id,
    state: change.state,
    kind: change.kind,
    ...(reason === undefined ? {} : { reason }),
  })
}

const tellApplied = (audience: Audience, entry: AuditEntry, change: Change): void => {
  if (entry.stage !== 'apply') return
  const { effect } = v.parse(ApplyDetail, entry.detail)
  const { id: changeID, agentGroupID } = change
  if (effect.type === 'grant') audience.broker('grant-changed', { agentGroupID, server: effect.grant.server })
  audience.runner('group-changed', { agentGroupID, changeID, narrowing: kindTable[change.kind].narrowing })
}

/** One round per change, after the last of its lines. */
const lastLines = (entries: readonly AuditEntry[]): ReadonlyMap<string, AuditEntry> =>
  new Map(entries.flatMap((entry) => (entry.changeID === undefined ? [] : [[entry.changeID, entry] as const])))

/** Before these a change concerns nobody but those who watch all of them. */
const final = new Set(Object.keys(outcomes))

const announce = async ({ store, audience }: AnnounceDeps, entry: AuditEntry, id: ChangeID): Promise<void> => {
  audience.controlPlane('change', { id })
  const change = final.has(entry.stage) ? await findChange(store.read, id) : undefined
  if (change === undefined) return
  tellApplied(audience, entry, change)
  tellRequester(audience, change)
}

/** The table of grants is true before anybody hears of the change. */
export const createAnnouncer =
  (deps: AnnounceDeps) =>
  async (entries: readonly AuditEntry[]): Promise<void> => {
    try {
      if (entries.some(({ stage }) => stage === 'apply' || stage === 'seed')) await deps.table.rebuild()
      count(deps.metrics, entries)
      for (const [id, entry] of lastLines(entries)) await announce(deps, entry, v.parse(ChangeID, id))
    } catch (error) {
      deps.log.warn('what was committed could not be announced', { error })
    }
  }
