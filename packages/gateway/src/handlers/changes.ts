// RPC handlers for changes. Results are masked, and changes outside the token's groups are reported as not found.
import type { Change, gatewayControlPlane, Principal } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { personBehind } from '../auth/persons.ts'
import { retryFailed } from '../changes/apply.ts'
import { decide } from '../changes/decide.ts'
import type { ChangeRequester } from '../changes/examine.ts'
import { viewChange } from '../changes/rollout.ts'
import { preview, revert, submit } from '../changes/submit.ts'
import { withdraw } from '../changes/withdraw.ts'
import type { Services } from '../compose.ts'
import { readStoredEvidence } from '../evidence/stored.ts'
import { readImpact } from '../impact.ts'
import { maskChange } from '../secrets.ts'
import type { Actor } from '../state/change-records.ts'
import { countHeld, listChanges, type ListName, readChange, type Search, unknownChange } from '../state/changes.ts'
import { assertMayApply, assertSees, sees } from '../state/roles.ts'
import { createAuthenticate } from './authenticate.ts'

/** Reads a change. Throws `not-found` also for a change of a group that the principal may not see. */
const findVisibleChange = async (services: Services, principal: Principal, id: string): Promise<Change> => {
  const change = await readChange(services, id)
  if (!sees(principal, change.agentGroupID)) throw unknownChange(id)
  return change
}

const list = async (services: Services, at: { which: ListName; principal: Principal }, search: Search) => {
  const { items, ...page } = await listChanges(services, at, search)
  return { items: items.map((change) => maskChange(services.secrets, change)), ...page }
}

/** Named tokens that may approve a held change: those of people other than the requester. */
const listApprovers = ({ tokens, clock }: Pick<Services, 'tokens' | 'clock'>, change: Change): string[] => {
  if (change.state !== 'held') return []
  const requester = personBehind(tokens, change)
  return tokens
    .all()
    .filter(({ role, expiresAt, groups }) => {
      const isExpired = expiresAt !== undefined && clock.isPast(Date.parse(expiresAt))
      return (role === 'approver' || role === 'admin') && !isExpired && (groups === undefined || groups.includes(change.agentGroupID))
    })
    .map(({ name }) => name)
    .filter((name) => personBehind(tokens, { principal: name }) !== requester)
}

export const changeListHandlers = (
  services: Services,
): Pick<Handlers<typeof gatewayControlPlane>, 'pending' | 'heldCount' | 'history' | 'change' | 'evidence' | 'reach'> => {
  const authenticate = createAuthenticate(services)
  return {
    pending: async ({ token, ...search }) =>
      list(services, { which: 'pending', principal: authenticate(token, 'pending').principal }, search),
    heldCount: async ({ token }) => ({ held: await countHeld(services, authenticate(token, 'heldCount').principal) }),
    history: async ({ token, ...search }) =>
      list(services, { which: 'history', principal: authenticate(token, 'history').principal }, search),
    change: async ({ token, id }) => {
      const { principal } = authenticate(token, 'change')
      return maskChange(services.secrets, await viewChange(services, await findVisibleChange(services, principal, id)))
    },
    evidence: async ({ token, id }) => {
      const { principal } = authenticate(token, 'evidence')
      return readStoredEvidence(services.store.read, await findVisibleChange(services, principal, id))
    },
    reach: async ({ token, id }) => {
      const { principal } = authenticate(token, 'reach')
      const change = await findVisibleChange(services, principal, id)
      return { ...(await readImpact(services, change)), approvers: listApprovers(services, change) }
    },
  }
}

type Calls = 'submit' | 'preview' | 'decide' | 'withdraw' | 'retry' | 'revert'

const toRequester = (actor: Actor): ChangeRequester => ({ ...actor, by: `api:${actor.principal}` })

export const changeHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, Calls> => {
  const authenticate = createAuthenticate(services)
  const mask = <C extends Change>(change: C): C => maskChange(services.secrets, change)
  return {
    submit: async ({ token, submission, idempotency }) => {
      const { principal, actor } = authenticate(token, 'submit')
      assertSees(principal, submission.agentGroupID)
      return submit(services, toRequester(actor), { submission, idempotency })
    },
    preview: async ({ token, submission }) => {
      const { principal, actor } = authenticate(token, 'preview')
      assertSees(principal, submission.agentGroupID)
      const { kind: _kind, after: _after, ...shown } = maskChange(services.secrets, await preview(services, toRequester(actor), submission))
      return shown
    },
    decide: async ({ token, ...verdict }) => {
      const { principal, actor } = authenticate(token, 'decide')
      const change = await findVisibleChange(services, principal, verdict.id)
      if (verdict.outcome === 'approve') assertMayApply(principal, change)
      return mask(await decide(services, actor, verdict))
    },
    withdraw: async ({ token, ...request }) => {
      const { principal, actor } = authenticate(token, 'withdraw')
      await findVisibleChange(services, principal, request.id)
      return mask(await withdraw(services, actor, request))
    },
    retry: async ({ token, ...request }) => {
      const { principal, actor } = authenticate(token, 'retry')
      assertMayApply(principal, await findVisibleChange(services, principal, request.id))
      return mask(await retryFailed(services, actor, request))
    },
    revert: async ({ token, ...request }) => {
      const { principal, actor } = authenticate(token, 'revert')
      await findVisibleChange(services, principal, request.id)
      return revert(services, toRequester(actor), request)
    },
  }
}
