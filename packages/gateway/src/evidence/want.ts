// Asks the broker to look at a server again when what is known of it is too old for a decision.
import type { Evidence } from './evidence.ts'

/** Seconds after which an observation should be made again. */
const fresh = 60

export const isStale = (evidence: Evidence | null): evidence is Evidence =>
  evidence !== null && (evidence.status === 'unavailable' || evidence.age > fresh)
