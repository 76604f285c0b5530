// Whether what an approver was shown of the world outside is no longer what is known of it.
import { canonical } from '@gatehouse/kernel'
import type { Evidence } from './evidence.ts'

/** Made again with the same content it is the same evidence. */
const material = (evidence: Evidence | null): string =>
  canonical(evidence !== null && 'at' in evidence ? { ...evidence, at: null, age: null } : evidence)

const entryOf = (evidence: Evidence | null): string | undefined =>
  evidence !== null && 'entryDigest' in evidence ? evidence.entryDigest : undefined

/**
 * Evidence of a witness that came later is no reason to ask again, unless it is that of another server; evidence that changed
 * or went is. None where there is some now: an earlier version held the change and showed less.
 */
export const evidenceMoved = (then: Evidence | null, now: Evidence | null): boolean => {
  if (then === null) return now !== null
  if (then.status !== 'unavailable') return material(then) !== material(now)
  const entry = entryOf(now)
  return then.entryDigest !== undefined && entry !== undefined && entry !== then.entryDigest
}
