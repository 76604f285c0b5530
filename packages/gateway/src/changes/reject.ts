// A person's no to a change that is not applied: it holds whether the journal can be written or not.
import { type Change, ServiceError } from '@gatehouse/contracts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Kept, keptOf } from '../ledger/owed.ts'
import { alreadyDecided } from './decided.ts'
import { storedPerson } from '../principals/person.ts'
import type { Tokens } from '../principals/tokens.ts'
import { type Actor, changeLine } from './lines.ts'
import { findChange, type ReadDeps } from './read.ts'
import { isUnapplied } from './stop.ts'
import { rejectedBy } from './tally.ts'
import { decisionOf, type Verdict } from './verdict.ts'

export interface RejectDeps extends ReadDeps {
  readonly tokens: Pick<Tokens, 'named'>
  readonly ledger: Ledger
  readonly clock: () => number
}

/** Under the lock of the change. */
export const reject = async (
  deps: RejectDeps,
  actor: Actor,
  { change, verdict }: { change: Change; verdict: Verdict },
): Promise<Change & Kept> => {
  const decision = decisionOf(verdict, { actor, ...storedPerson(deps.tokens, actor.principal), digest: change.digest, now: deps.clock() })
  const outcome = await deps.ledger.commitLate([changeLine('reject', { actor, change }, { decision })])
  const kept = keptOf(outcome)
  const stored = await findChange(deps.store.read, change.id).catch(() => undefined)
  if (stored === undefined || isUnapplied(stored)) {
    const rejected = rejectedBy(change, decision)
    deps.overlay.put(rejected)
    // A database that is behind may not know yet that the change was applied first.
    if (change.state === 'approved' && outcome.journaled && !outcome.stored)
      throw new ServiceError('unavailable', {
        detail: `${change.id} is rejected unless it was applied first: the database is behind the journal`,
        hint: 'read the change again in a moment',
      })
    return { ...rejected, ...kept }
  }
  if (stored.state === 'rejected') return { ...stored, ...kept }
  throw alreadyDecided(stored)
}
