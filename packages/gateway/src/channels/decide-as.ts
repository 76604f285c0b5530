// A decision that arrived through a channel. The channel reports only which person wrote at which address; identity and
// permissions are checked here. High-risk changes cannot be decided this way.
import {
  type Card,
  type Change,
  ChangeID,
  type Decided,
  type Digest,
  gatewayChannels,
  isServiceError,
  limits,
  type Params,
  type Principal,
  ServiceError,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import { identify, type IdentityDeps, personBehind } from '../auth/persons.ts'
import { validApprovers } from '../changes/approvals.ts'
import { decide, type DecideDeps } from '../changes/decide.ts'
import { showAgain } from '../changes/decision.ts'
import type { Secrets } from '../secrets.ts'
import { isUnapplied, readChange, unknownChange } from '../state/changes.ts'
import { assertMay, assertMayApply, sees } from '../state/roles.ts'
import type { TokenUses } from '../state/tokens.ts'
import { admit, type ChannelDeps } from './admit.ts'
import { cardOf, withoutZeros } from './cards.ts'

type ChannelDecision = Params<typeof gatewayChannels, 'decideAs'>

export type DecideAsDeps = DecideDeps &
  ChannelDeps &
  IdentityDeps & { readonly uses: Pick<TokenUses, 'note'>; readonly secrets: Pick<Secrets, 'owns'> }

const shortForm = /^\d{6}(?:\.\d{1,9})?$/

/** The changes of the group with this short id, which has no trailing zeros. */
const findIDs = async ({ store }: DecideAsDeps, agentGroupID: string, short: string): Promise<string[]> => {
  if (!shortForm.test(short)) return []
  const rows = await store.read.all<{ id: string }>(
    `SELECT id FROM changes WHERE agent_group_id = ?1 AND rtrim(rtrim(substr(id, 13), '0'), '.') = ?2 ORDER BY state = 'held' DESC, id DESC LIMIT 2`,
    [agentGroupID, withoutZeros(short)],
  )
  return rows.map(({ id }) => id)
}

/** Finds a change of the group of the address. Changes of other groups are reported as not found. */
const findNamedChange = async (deps: DecideAsDeps, agentGroupID: string, named: string): Promise<Change> => {
  const ids = v.is(ChangeID, named) ? [named] : await findIDs(deps, agentGroupID, named)
  const [id, other] = ids
  if (id === undefined) throw unknownChange(named)
  if (other !== undefined) throw new ServiceError('conflict', { detail: `${named} matches several changes`, hint: 'use the full id' })
  const change = await readChange(deps, id)
  if (change.agentGroupID !== agentGroupID) throw unknownChange(named)
  return change
}

/** The full digest that was shown. Any digest is accepted for a change that is already decided. Throws `digest-mismatch`. */
const matchDigest = (change: Change, { outcome, digest: prefix = '' }: ChannelDecision): Digest => {
  const { id, state, digest } = change
  if (outcome === 'approve' ? state !== 'held' : !isUnapplied(change)) return digest
  if (prefix.length >= limits.cardDigest && digest.startsWith(prefix)) return digest
  throw new ServiceError('digest-mismatch', {
    detail:
      prefix.length < limits.cardDigest
        ? `at least ${limits.cardDigest} digits of the digest of ${id} are required, got ${prefix.length}`
        : `${id} changed after it was shown with the digest ${prefix.slice(0, limits.cardDigest)}`,
    hint: showAgain,
  })
}

const assertRights = (principal: Principal, change: Change, { outcome }: ChannelDecision): void => {
  assertMay(principal, 'decide')
  if (!sees(principal, change.agentGroupID)) throw unknownChange(change.id)
  if (outcome === 'approve') assertMayApply(principal, change)
}

/** Whether the same decision of the same person was recorded before and still counts. */
const isRepeated = (deps: DecideAsDeps, change: Change, { channel, user, outcome, digest = '' }: ChannelDecision): boolean => {
  if (digest.length < limits.cardDigest) return false
  const valid = validApprovers(deps, change)
  return change.decisions.some(
    ({ via, ...recorded }) =>
      via?.channel === channel &&
      via.user === user &&
      recorded.outcome === outcome &&
      recorded.digest.startsWith(digest) &&
      (change.state !== 'held' || valid.has(personBehind(deps.tokens, recorded))),
  )
}

const record = async (deps: DecideAsDeps, change: Change, decision: ChannelDecision): Promise<Change> => {
  const { channel, user, outcome, reason } = decision
  const principal = identify(deps, { channel, user })
  assertRights(principal, change, decision)
  if (isRepeated(deps, change, decision)) return change
  const digest = matchDigest(change, decision)
  const actor = { edge: gatewayChannels.caller, principal: principal.name, via: { channel, user } }
  const decidedBy = `${channel}:${user}`.slice(0, limits.requester)
  return decide(deps, actor, { id: change.id, outcome, decidedBy, reason, digest })
}

/** Errors after which the outcome is unknown. */
const unknownOutcome: ReadonlySet<string> = new Set(['unavailable', 'deadline', 'internal'])

/** The current card: a refused approval may have updated the change. */
const presentCard = async (deps: DecideAsDeps, { id }: Change): Promise<Card> => cardOf(deps.secrets, await readChange(deps, id))

/** Decides a change for a channel user. Repeating a recorded decision is accepted. */
export const decideAs = async (deps: DecideAsDeps, decision: ChannelDecision): Promise<Decided> => {
  const { channel, address, user } = decision
  const admission = await admit(deps, { channel, address, user })
  if (!admission.admitted) return { outcome: 'ignored', why: admission.why }
  let change: Change | undefined
  try {
    change = await findNamedChange(deps, admission.agentGroupID, decision.change)
    return { outcome: 'accepted', card: cardOf(deps.secrets, await record(deps, change, decision)) }
  } catch (error) {
    if (!isServiceError(error) || unknownOutcome.has(error.code)) throw error
    if (change !== undefined && isRepeated(deps, await readChange(deps, change.id), decision))
      return { outcome: 'accepted', card: await presentCard(deps, change) }
    return {
      outcome: 'refused',
      code: error.code,
      detail: error.detail,
      ...(change !== undefined && { card: await presentCard(deps, change) }),
    }
  }
}
