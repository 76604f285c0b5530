// Attaches the last reported evidence to a change, and detects changes of evidence. Never requests evidence or waits for it.
import type { Evidence } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import type { ChangeContext } from '../state/unit-config.ts'
import { attachMountInspections } from './mounts.ts'
import { type Attached, attachObservation } from './observation.ts'
import { attachTree } from './packages.ts'
import type { RequiredEvidence } from './stored.ts'

export interface Attach {
  readonly rows: Rows
  readonly context: ChangeContext
  /** Ignores evidence that is too old for a new change. Old evidence still shows whether a stored change is stale. */
  readonly fresh: boolean
}

export const attach = async (required: RequiredEvidence | undefined, { rows, context, fresh }: Attach): Promise<Attached> => {
  switch (required?.from) {
    case undefined:
      return { evidence: null }
    case 'change':
      return { evidence: required.evidence }
    case 'broker':
      return attachObservation(rows, required, { context, fresh })
    case 'runner':
      return { evidence: await attachMountInspections(rows, required.sources, { now: context.now, fresh }) }
    case 'registry':
      return { evidence: await attachTree(rows, required.names, { now: context.now, fresh }) }
  }
}

/** The content of evidence without its time, for comparison. */
const canonicalContent = (evidence: Evidence | null): string =>
  canonical(evidence !== null && 'at' in evidence ? { ...evidence, at: null, age: null } : evidence)

const getEntryDigest = (evidence: Evidence | null): string | undefined =>
  evidence !== null && 'entryDigest' in evidence ? evidence.entryDigest : undefined

/**
 * Whether the evidence differs from what was shown. Evidence that arrives after it was unavailable is not a change, unless it
 * is for another server. No evidence then and some now is a change: an earlier version showed less.
 */
export const hasEvidenceChanged = (then: Evidence | null, now: Evidence | null): boolean => {
  if (then === null) return now !== null
  if (then.status !== 'unavailable') return canonicalContent(then) !== canonicalContent(now)
  const entry = getEntryDigest(now)
  return then.entryDigest !== undefined && entry !== undefined && entry !== then.entryDigest
}
