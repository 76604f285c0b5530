// Asks the broker to look at a server again when what is known of it is too old for a decision. Does not wait for it.
import type { Audience } from '../events/audience.ts'
import type { Evidence } from './evidence.ts'

/** Seconds after which an observation should be made again. */
const fresh = 60

export const want = (audience: Audience, evidence: Evidence | null): void => {
  if (evidence === null) return
  if (evidence.status === 'unavailable' || evidence.age > fresh) audience.broker('observation-wanted', { server: evidence.server })
}
