// Publishes events after each transaction and counts outcomes. Never fails the transaction.
import { type AuditEntry, type Change, ChangeID, kindNames, type ServerName, SessionID } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { kindTable } from '../kinds/index.ts'
import { deferredOf } from '../ledger/deferred.ts'
import { ApplyDetail } from '../state/change-records.ts'
import { findChange } from '../state/changes.ts'
import type { Effect } from '../state/effects.ts'
import type { GrantTable } from '../state/grants.ts'
import type { Subscribers } from '../state/subscribers.ts'
import { toEvents } from './feed.ts'

/** Final stages of a change, with the outcome label of the metric. */
const outcomes: Readonly<Record<string, string>> = {
  refuse: 'refused',
  reject: 'rejected',
  withdraw: 'withdrawn',
  expire: 'expired',
  apply: 'applied',
  'apply-failed': 'apply_failed',
}

const isFinal = ({ stage }: AuditEntry): boolean => Object.hasOwn(outcomes, stage)

const touchOutcomes = (metrics: Metrics): void => {
  for (const kind of kindNames) for (const outcome of Object.values(outcomes)) metrics.touch('gateway_decisions_total', { kind, outcome })
}

const countOutcomes = (metrics: Metrics, entries: readonly AuditEntry[]): void => {
  for (const { stage, kind } of entries) {
    const outcome = outcomes[stage]
    if (outcome !== undefined && kind !== undefined) metrics.counter('gateway_decisions_total').inc({ kind, outcome })
  }
}

export interface PublisherDeps {
  readonly store: Store
  readonly table: GrantTable
  readonly subscribers: Subscribers
  readonly log: Logger
  readonly metrics: Metrics
  /** Called when a group was removed. Ends its sessions. */
  readonly groupRemoved: (agentGroupID: string) => void
  /** Called when a grant of the server changed. */
  readonly serverTouched: (server: ServerName) => void
}

export interface EventPublisher {
  /** Runs the transaction of these records. */
  during(entries: readonly AuditEntry[], transact: () => Promise<void>): Promise<void>
  /** Called when records are in the journal and their effect is in the database. */
  committed(entries: readonly AuditEntry[]): Promise<void>
  /** Called when deferred acts are in the database but not yet in the journal. */
  tookEffect(entries: readonly AuditEntry[]): Promise<void>
}

const notifyRequester = (subscribers: Subscribers, change: Change): void => {
  if (!change.principal.startsWith('session:')) return
  const session = v.parse(SessionID, change.principal.slice('session:'.length))
  const reason = change.failure?.reason ?? change.ended?.reason ?? change.decisions.at(-1)?.reason
  subscribers.runner('change-decided', {
    session,
    id: change.id,
    state: change.state,
    kind: change.kind,
    ...(reason === undefined ? {} : { reason }),
  })
}

const publishEffect = ({ subscribers, groupRemoved, serverTouched }: PublisherDeps, effect: Effect, change: Change): void => {
  const { id: changeID, agentGroupID, kind } = change
  if (effect.type === 'grant') subscribers.broker('grant-changed', { agentGroupID, server: effect.grant.server })
  if (effect.type === 'group') subscribers.modelProxy('permissions-changed', { agentGroupID })
  if (effect.type === 'grant') serverTouched(effect.grant.server)
  if (effect.type === 'group-removed') {
    groupRemoved(effect.agentGroupID)
    subscribers.runner('group-removed', { agentGroupID: effect.agentGroupID })
  } else subscribers.runner('group-changed', { agentGroupID, changeID, narrowing: kindTable[kind].narrowsSandboxes(change) })
}

const publishChange = async (deps: PublisherDeps, entry: AuditEntry, id: ChangeID): Promise<void> => {
  const change = await findChange(deps.store.read, id)
  if (change === undefined) return
  if (entry.stage === 'apply') publishEffect(deps, v.parse(ApplyDetail, entry.detail).effect, change)
  notifyRequester(deps.subscribers, change)
}

/** Stages that change cards. The last approval does not: cards wait for its apply. */
const cardStages: ReadonlySet<string> = new Set(['submit', 'rebased', 'reject', 'withdraw', 'expire', 'apply', 'apply-failed', 'retry'])

const changesCards = ({ stage, detail }: AuditEntry): boolean =>
  cardStages.has(stage) || (stage === 'approve' && detail['complete'] === false)

/** Stages whose effect may write grants. */
const grantStages: ReadonlySet<string> = new Set(['apply', 'seed', 'observed-drift', 'catalog-put', 'catalog-reload'])

const touchesGrants = (entries: readonly AuditEntry[]): boolean => entries.some(({ stage }) => grantStages.has(stage))

export const createEventPublisher = (deps: PublisherDeps): EventPublisher => {
  /** Ids of deferred records whose effect was already published. */
  const published = new Set<string>()
  const isNew = (entry: AuditEntry): boolean => !published.delete(deferredOf(entry)?.id ?? '')
  const safely = async (act: () => void | Promise<void>): Promise<void> => {
    try {
      await act()
    } catch (error) {
      deps.log.warn('could not publish an event', { error })
    }
  }
  /** A change that cannot be read does not prevent events of the others. */
  const announce = async (entries: readonly AuditEntry[]): Promise<void> => {
    countOutcomes(deps.metrics, entries)
    for (const entry of entries) {
      const { changeID } = entry
      if (changeID !== undefined && isFinal(entry)) await safely(() => publishChange(deps, entry, v.parse(ChangeID, changeID)))
    }
    if (entries.some(changesCards)) await safely(() => deps.subscribers.channels('cards-changed', {}))
  }
  touchOutcomes(deps.metrics)
  return {
    during: (entries, transact) => (touchesGrants(entries) ? deps.table.during(transact) : transact()),
    committed: async (entries) => {
      // The grant table is updated before the event is published. If that fails, the next reader rebuilds it.
      if (touchesGrants(entries)) await safely(() => deps.table.rebuild())
      const items = toEvents(entries)
      if (items.length > 0) await safely(() => deps.subscribers.controlPlane('news', { items }))
      await announce(entries.filter(isNew))
    },
    tookEffect: async (entries) => {
      for (const entry of entries) published.add(deferredOf(entry)?.id ?? '')
      await announce(entries)
    },
  }
}
