// RPC handlers for changes. Results are masked, and changes outside the token's groups do not exist for it.
import type { Change, gatewayControlPlane, Principal } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { personBehind } from '../auth/persons.ts'
import { retryFailed } from '../changes/apply.ts'
import { decide } from '../changes/decide.ts'
import type { Asker } from '../changes/examine.ts'
import { viewChange } from '../changes/rollout.ts'
import { preview, revert, submit } from '../changes/submit.ts'
import { withdraw } from '../changes/withdraw.ts'
import type { Services } from '../compose.ts'
import { readStoredEvidence } from '../evidence/stored.ts'
import { impactOf } from '../impact.ts'
import { maskChange } from '../secrets.ts'
import type { Actor } from '../state/change-records.ts'
import { countHeld, listChanges, type ListName, readChange, type Search, unknownChange } from '../state/changes.ts'
import { assertMayApply, assertSees, sees } from '../state/roles.ts'
import { createAuthenticate } from './authenticate.ts'

/** Throws `not-found` for one of a group outside, as for one that does not exist. */
const findVisibleChange = async (services: Services, principal: Principal, id: string): Promise<Change> => {
  const change = await readChange(services, id)
  if (!sees(principal, change.agentGroupID)) throw unknownChange(id)
  return change
}

const list = async (services: Services, at: { which: ListName; principal: Principal }, search: Search) => {
  const { items, ...page } = await listChanges(services, at, search)
  return { items: items.map((change) => maskChange(services.secrets, change)), ...page }
}

/** Tokens of other people than the requester that may approve a held change. The admin token has no name here. */
const listApprovers = ({ tokens, clock }: Pick<Services, 'tokens' | 'clock'>, change: Change): string[] => {
  if (change.state !== 'held') return []
  const requester = personBehind(tokens, change)
  return tokens
    .all()
    .filter(({ role, expiresAt, groups }) => {
      const isOver = expiresAt !== undefined && clock.isPast(Date.parse(expiresAt))
      return (role === 'approver' || role === 'admin') && !isOver && (groups === undefined || groups.includes(change.agentGroupID))
    })
    .map(({ name }) => name)
    .filter((name) => personBehind(tokens, { principal: name }) !== requester)
}

export const changeListHandlers = (
  services: Services,
): Pick<Handlers<typeof gatewayControlPlane>, 'pending' | 'heldCount' | 'history' | 'change' | 'evidence' | 'reach'> => {
  const enter = createAuthenticate(services)
  return {
    pending: async ({ token, ...search }) => list(services, { which: 'pending', principal: enter(token, 'pending').principal }, search),
    heldCount: async ({ token }) => ({ held: await countHeld(services, enter(token, 'heldCount').principal) }),
    history: async ({ token, ...search }) => list(services, { which: 'history', principal: enter(token, 'history').principal }, search),
    change: async ({ token, id }) => {
      const { principal } = enter(token, 'change')
      return maskChange(services.secrets, await viewChange(services, await findVisibleChange(services, principal, id)))
    },
    evidence: async ({ token, id }) => {
      const { principal } = enter(token, 'evidence')
      return readStoredEvidence(services.store.read, await findVisibleChange(services, principal, id))
    },
    reach: async ({ token, id }) => {
      const { principal } = enter(token, 'reach')
      const change = await findVisibleChange(services, principal, id)
      return { ...(await impactOf(services, change)), approvers: listApprovers(services, change) }
    },
  }
}

type Calls = 'submit' | 'preview' | 'decide' | 'withdraw' | 'retry' | 'revert'

const askerOf = (actor: Actor): Asker => ({ ...actor, by: `api:${actor.principal}` })

export const changeHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, Calls> => {
  const enter = createAuthenticate(services)
  const masked = <C extends Change>(change: C): C => maskChange(services.secrets, change)
  return {
    submit: async ({ token, submission, idempotency }) => {
      const { principal, actor } = enter(token, 'submit')
      assertSees(principal, submission.agentGroupID)
      return submit(services, askerOf(actor), { submission, idempotency })
    },
    preview: async ({ token, submission }) => {
      const { principal, actor } = enter(token, 'preview')
      assertSees(principal, submission.agentGroupID)
      const { kind: _kind, after: _after, ...shown } = maskChange(services.secrets, await preview(services, askerOf(actor), submission))
      return shown
    },
    decide: async ({ token, ...verdict }) => {
      const { principal, actor } = enter(token, 'decide')
      const change = await findVisibleChange(services, principal, verdict.id)
      if (verdict.outcome === 'approve') assertMayApply(principal, change)
      return masked(await decide(services, actor, verdict))
    },
    withdraw: async ({ token, ...given }) => {
      const { principal, actor } = enter(token, 'withdraw')
      await findVisibleChange(services, principal, given.id)
      return masked(await withdraw(services, actor, given))
    },
    retry: async ({ token, ...given }) => {
      const { principal, actor } = enter(token, 'retry')
      assertMayApply(principal, await findVisibleChange(services, principal, given.id))
      return masked(await retryFailed(services, actor, given))
    },
    revert: async ({ token, ...given }) => {
      const { principal, actor } = enter(token, 'revert')
      await findVisibleChange(services, principal, given.id)
      return revert(services, askerOf(actor), given)
    },
  }
}
