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

/** Stages after which a change is what it will stay, by the name that the metric gives it. */
const outcomes: Readonly<Record<string, string>> = {
  refuse: 'refused',
  reject: 'rejected',
  withdraw: 'withdrawn',
  expire: 'expired',
  apply: 'applied',
  'apply-failed': 'apply_failed',
}

/** Before these a change concerns nobody but those who watch all of them. */
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
  /** The sessions of a group that is gone end with it. */
  readonly groupRemoved: (agentGroupID: string) => void
  /** A grant for the server is another from now on. */
  readonly serverTouched: (server: ServerName) => void
}

export interface EventPublisher {
  /** Runs the transaction of these lines. */
  during(entries: readonly AuditEntry[], transact: () => Promise<void>): Promise<void>
  /** Lines are in the journal, and their effect in the database. */
  committed(entries: readonly AuditEntry[]): Promise<void>
  /** Late acts are in the database; their lines, and the news of them, are still to come. */
  tookEffect(entries: readonly AuditEntry[]): Promise<void>
}

const tellRequester = (subscribers: Subscribers, change: Change): void => {
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

const tellEffect = ({ subscribers, groupRemoved, serverTouched }: PublisherDeps, effect: Effect, change: Change): void => {
  const { id: changeID, agentGroupID, kind } = change
  if (effect.type === 'grant') subscribers.broker('grant-changed', { agentGroupID, server: effect.grant.server })
  if (effect.type === 'group') subscribers.modelProxy('permissions-changed', { agentGroupID })
  if (effect.type === 'grant') serverTouched(effect.grant.server)
  if (effect.type === 'group-removed') {
    groupRemoved(effect.agentGroupID)
    subscribers.runner('group-removed', { agentGroupID: effect.agentGroupID })
  } else subscribers.runner('group-changed', { agentGroupID, changeID, narrowing: kindTable[kind].narrowsSandboxes(change) })
}

const tellChange = async (deps: PublisherDeps, entry: AuditEntry, id: ChangeID): Promise<void> => {
  const change = await findChange(deps.store.read, id)
  if (change === undefined) return
  if (entry.stage === 'apply') tellEffect(deps, v.parse(ApplyDetail, entry.detail).effect, change)
  tellRequester(deps.subscribers, change)
}

/** Cards show what these leave behind; after a last approval they wait for what becomes of it. */
const ofCards: ReadonlySet<string> = new Set(['submit', 'rebased', 'reject', 'withdraw', 'expire', 'apply', 'apply-failed', 'retry'])

const movesCards = ({ stage, detail }: AuditEntry): boolean => ofCards.has(stage) || (stage === 'approve' && detail['complete'] === false)

/** Stages whose effect may write grants. */
const ofGrants: ReadonlySet<string> = new Set(['apply', 'seed', 'observed-drift', 'catalog-put', 'catalog-reload'])

const touchesGrants = (entries: readonly AuditEntry[]): boolean => entries.some(({ stage }) => ofGrants.has(stage))

export const createEventPublisher = (deps: PublisherDeps): EventPublisher => {
  /** Ids of late lines whose effect was told when it took place. */
  const told = new Set<string>()
  const isNew = (entry: AuditEntry): boolean => !told.delete(deferredOf(entry)?.id ?? '')
  const safely = async (act: () => void | Promise<void>): Promise<void> => {
    try {
      await act()
    } catch (error) {
      deps.log.warn('what was committed could not be announced', { error })
    }
  }
  /** One change that cannot be read now keeps no other from being told. */
  const announce = async (entries: readonly AuditEntry[]): Promise<void> => {
    countOutcomes(deps.metrics, entries)
    for (const entry of entries) {
      const { changeID } = entry
      if (changeID !== undefined && isFinal(entry)) await safely(() => tellChange(deps, entry, v.parse(ChangeID, changeID)))
    }
    if (entries.some(movesCards)) await safely(() => deps.subscribers.channels('cards-changed', {}))
  }
  touchOutcomes(deps.metrics)
  return {
    during: (entries, transact) => (touchesGrants(entries) ? deps.table.during(transact) : transact()),
    committed: async (entries) => {
      // The table of grants is true before anybody hears of the change. Where it cannot be read, who asks it next reads it.
      if (touchesGrants(entries)) await safely(() => deps.table.rebuild())
      const items = toEvents(entries)
      if (items.length > 0) await safely(() => deps.subscribers.controlPlane('news', { items }))
      await announce(entries.filter(isNew))
    },
    tookEffect: async (entries) => {
      for (const entry of entries) told.add(deferredOf(entry)?.id ?? '')
      await announce(entries)
    },
  }
}
