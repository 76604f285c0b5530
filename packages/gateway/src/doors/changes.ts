// The calls of people about changes. What leaves here is masked, and what a token does not see is not there.
import type { Change, gatewayControlPlane } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { decide } from '../changes/decide.ts'
import type { Asker } from '../changes/examine.ts'
import type { Actor } from '../changes/lines.ts'
import { preview } from '../changes/preview.ts'
import { retryFailed } from '../changes/retry-failed.ts'
import { revert } from '../changes/revert.ts'
import { submit } from '../changes/submit.ts'
import { withdraw } from '../changes/withdraw.ts'
import { assertMayApply, assertSees } from '../principals/scope.ts'
import type { Rooms } from '../rooms.ts'
import { maskChange } from '../secrets/mask.ts'
import { findSeen } from './change-lists.ts'
import { entrance } from './entrance.ts'

type Calls = 'submit' | 'preview' | 'decide' | 'withdraw' | 'retry' | 'revert'

const askerOf = (actor: Actor): Asker => ({ ...actor, by: `api:${actor.principal}` })

export const changesDoor = (rooms: Rooms): Pick<Handlers<typeof gatewayControlPlane>, Calls> => {
  const enter = entrance(rooms)
  const masked = <C extends Change>(change: C): C => maskChange(rooms.secrets, change)
  return {
    submit: async ({ token, submission, idempotency }) => {
      const { principal, actor } = enter(token, 'submit')
      assertSees(principal, submission.agentGroupID)
      return submit(rooms, askerOf(actor), { submission, idempotency })
    },
    preview: async ({ token, submission }) => {
      const { principal, actor } = enter(token, 'preview')
      assertSees(principal, submission.agentGroupID)
      const { kind: _kind, after: _after, ...shown } = maskChange(rooms.secrets, await preview(rooms, askerOf(actor), submission))
      return shown
    },
    decide: async ({ token, ...verdict }) => {
      const { principal, actor } = enter(token, 'decide')
      const change = await findSeen(rooms, principal, verdict.id)
      if (verdict.outcome === 'approve') assertMayApply(principal, change)
      return masked(await decide(rooms, actor, verdict))
    },
    withdraw: async ({ token, ...given }) => {
      const { principal, actor } = enter(token, 'withdraw')
      await findSeen(rooms, principal, given.id)
      return masked(await withdraw(rooms, actor, given))
    },
    retry: async ({ token, ...given }) => {
      const { principal, actor } = enter(token, 'retry')
      assertMayApply(principal, await findSeen(rooms, principal, given.id))
      return masked(await retryFailed(rooms, actor, given))
    },
    revert: async ({ token, ...given }) => {
      const { principal, actor } = enter(token, 'revert')
      await findSeen(rooms, principal, given.id)
      return revert(rooms, askerOf(actor), given)
    },
  }
}
