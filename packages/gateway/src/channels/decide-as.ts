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

type Word = Params<typeof gatewayChannels, 'decideAs'>

export type DecideAsDeps = DecideDeps &
  ChannelDeps &
  IdentityDeps & { readonly uses: Pick<TokenUses, 'note'>; readonly secrets: Pick<Secrets, 'owns'> }

const shortForm = /^\d{6}(?:\.\d{1,9})?$/

/** Every id of the group that ends so. A short one lost its last zeros. */
const idsOf = async ({ store }: DecideAsDeps, agentGroupID: string, short: string): Promise<string[]> => {
  if (!shortForm.test(short)) return []
  const rows = await store.read.all<{ id: string }>(
    `SELECT id FROM changes WHERE agent_group_id = ?1 AND rtrim(rtrim(substr(id, 13), '0'), '.') = ?2 ORDER BY state = 'held' DESC, id DESC LIMIT 2`,
    [agentGroupID, withoutZeros(short)],
  )
  return rows.map(({ id }) => id)
}

/** Of the group that the address leads to: others are as unknown there as those that do not exist. */
const findNamed = async (deps: DecideAsDeps, agentGroupID: string, named: string): Promise<Change> => {
  const ids = v.is(ChangeID, named) ? [named] : await idsOf(deps, agentGroupID, named)
  const [id, other] = ids
  if (id === undefined) throw unknownChange(named)
  if (other !== undefined) throw new ServiceError('conflict', { detail: `${named} names several changes`, hint: 'name the whole id' })
  const change = await readChange(deps, id)
  if (change.agentGroupID !== agentGroupID) throw unknownChange(named)
  return change
}

/** The whole digest that was shown; of a change that can no longer be stopped any will do. Throws `digest-mismatch`. */
const shownDigest = (change: Change, { outcome, digest: given = '' }: Word): Digest => {
  const { id, state, digest } = change
  if (outcome === 'approve' ? state !== 'held' : !isUnapplied(change)) return digest
  if (given.length >= limits.cardDigest && digest.startsWith(given)) return digest
  throw new ServiceError('digest-mismatch', {
    detail:
      given.length < limits.cardDigest
        ? `expected the first ${limits.cardDigest} digits of the digest of ${id} or more, got ${given.length}`
        : `${id} is no longer what was shown with the digest ${given.slice(0, limits.cardDigest)}`,
    hint: showAgain,
  })
}

const assertRights = (principal: Principal, change: Change, { outcome }: Word): void => {
  assertMay(principal, 'decide')
  if (!sees(principal, change.agentGroupID)) throw unknownChange(change.id)
  if (outcome === 'approve') assertMayApply(principal, change)
}

/** The same word of the same person was taken before, and still counts: one that was lost when the change was held again does not. */
const saidBefore = (deps: DecideAsDeps, change: Change, { channel, user, outcome, digest = '' }: Word): boolean => {
  if (digest.length < limits.cardDigest) return false
  const standing = validApprovers(deps, change)
  return change.decisions.some(
    ({ via, ...decision }) =>
      via?.channel === channel &&
      via.user === user &&
      decision.outcome === outcome &&
      decision.digest.startsWith(digest) &&
      (change.state !== 'held' || standing.has(personBehind(deps.tokens, decision))),
  )
}

const take = async (deps: DecideAsDeps, change: Change, word: Word): Promise<Change> => {
  const { channel, user, outcome, reason } = word
  const principal = identify(deps, { channel, user })
  assertRights(principal, change, word)
  if (saidBefore(deps, change, word)) return change
  const digest = shownDigest(change, word)
  const actor = { edge: gatewayChannels.caller, principal: principal.name, via: { channel, user } }
  const decidedBy = `${channel}:${user}`.slice(0, limits.requester)
  return decide(deps, actor, { id: change.id, outcome, decidedBy, reason, digest })
}

/** With these it is not known what came of it. */
const open: ReadonlySet<string> = new Set(['unavailable', 'deadline', 'internal'])

/** As it is now: an approval that was refused may have brought it up to date. */
const presentCard = async (deps: DecideAsDeps, { id }: Change): Promise<Card> => cardOf(deps.secrets, await readChange(deps, id))

export const decideAs = async (deps: DecideAsDeps, word: Word): Promise<Decided> => {
  const { channel, address, user } = word
  const admission = await admit(deps, { channel, address, user })
  if (!admission.admitted) return { outcome: 'ignored', why: admission.why }
  let change: Change | undefined
  try {
    change = await findNamed(deps, admission.agentGroupID, word.change)
    return { outcome: 'accepted', card: cardOf(deps.secrets, await take(deps, change, word)) }
  } catch (error) {
    if (!isServiceError(error) || open.has(error.code)) throw error
    if (change !== undefined && saidBefore(deps, await readChange(deps, change.id), word))
      return { outcome: 'accepted', card: await presentCard(deps, change) }
    return {
      outcome: 'refused',
      code: error.code,
      detail: error.detail,
      ...(change !== undefined && { card: await presentCard(deps, change) }),
    }
  }
}
