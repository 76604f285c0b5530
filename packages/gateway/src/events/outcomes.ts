// How many changes came to which end, shown at 0 from the start.
import { type AuditEntry, kindNames } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'

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
export const isFinal = ({ stage }: AuditEntry): boolean => Object.hasOwn(outcomes, stage)

export const touchOutcomes = (metrics: Metrics): void => {
  for (const kind of kindNames) for (const outcome of Object.values(outcomes)) metrics.touch('gateway_decisions_total', { kind, outcome })
}

export const countOutcomes = (metrics: Metrics, entries: readonly AuditEntry[]): void => {
  for (const { stage, kind } of entries) {
    const outcome = outcomes[stage]
    if (outcome !== undefined && kind !== undefined) metrics.counter('gateway_decisions_total').inc({ kind, outcome })
  }
}
