// Attaches evidence to a change, and tells whether it has changed since.
import type { Evidence } from '@gatehouse/contracts'

// Evidence for a change, from what its witness last reported. Asks nobody, never waits.
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
  /** What is too old for a new change still tells whether an old one has moved. */
  readonly fresh: boolean
}

export const attach = async (wanted: RequiredEvidence | undefined, { rows, context, fresh }: Attach): Promise<Attached> => {
  switch (wanted?.from) {
    case undefined:
      return { evidence: null }
    case 'change':
      return { evidence: wanted.evidence }
    case 'broker':
      return attachObservation(rows, wanted, { context, fresh })
    case 'runner':
      return { evidence: await attachMountInspections(rows, wanted.sources, { now: context.now, fresh }) }
    case 'registry':
      return { evidence: await attachTree(rows, wanted.names, { now: context.now, fresh }) }
  }
}

/** Made again with the same content it is the same evidence. */
const material = (evidence: Evidence | null): string =>
  canonical(evidence !== null && 'at' in evidence ? { ...evidence, at: null, age: null } : evidence)

const entryOf = (evidence: Evidence | null): string | undefined =>
  evidence !== null && 'entryDigest' in evidence ? evidence.entryDigest : undefined

/**
 * Evidence of a witness that came later is no reason to ask again, unless it is that of another server; evidence that changed
 * or went is. None where there is some now: an earlier version held the change and showed less.
 */
export const hasEvidenceChanged = (then: Evidence | null, now: Evidence | null): boolean => {
  if (then === null) return now !== null
  if (then.status !== 'unavailable') return material(then) !== material(now)
  const entry = entryOf(now)
  return then.entryDigest !== undefined && entry !== undefined && entry !== then.entryDigest
}
