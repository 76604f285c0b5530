// The calls about who may act, and the stop.
import { type gatewayControlPlane, type peopleCalls, type Principal, ServiceError } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { freeze } from '../freeze/freeze.ts'
import { listFreezes } from '../freeze/list.ts'
import { unfreeze } from '../freeze/unfreeze.ts'
import { createToken } from '../principals/create-token.ts'
import { listTokens } from '../principals/list-tokens.ts'
import { permit } from '../principals/permit.ts'
import { revokeToken } from '../principals/revoke-token.ts'
import { type Act, wholeUnitOnly } from '../principals/role.ts'
import { sees } from '../principals/scope.ts'
import type { Rooms } from '../rooms.ts'
import { terminate } from '../sessions/terminate.ts'
import { entrance } from './entrance.ts'

/** The unit is stopped by who may act on all of it. */
const assertReaches = (principal: Principal, agentGroupID: string | undefined, act: Act): void => {
  if (sees(principal, agentGroupID)) return
  if (agentGroupID === undefined) throw wholeUnitOnly(`${act} of the unit`)
  throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}`, hint: 'list the groups' })
}

export const peopleDoor = (rooms: Rooms): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof peopleCalls> => {
  const enter = entrance(rooms)
  return {
    permit: async ({ token, ...passage }) => permit(rooms, enter(token, passage.route), passage),
    terminate: async ({ token, ...ending }) => terminate(rooms, enter(token, 'terminate'), ending),
    tokens: async ({ token }) => (enter(token, 'tokens'), listTokens(rooms)),
    createToken: async ({ token, wanted }) => createToken(rooms, enter(token, 'createToken').actor, wanted),
    revokeToken: async ({ token, name }) => revokeToken(rooms, enter(token, 'revokeToken').actor, name),
    freezes: async ({ token }) => listFreezes(rooms.freezes, enter(token, 'freezes').principal),
    freeze: async ({ token, ...wish }) => {
      const { principal, actor } = enter(token, 'freeze')
      assertReaches(principal, wish.agentGroupID, 'freeze')
      return freeze(rooms, actor, wish)
    },
    unfreeze: async ({ token, ...wish }) => {
      const { principal, actor } = enter(token, 'unfreeze')
      assertReaches(principal, wish.agentGroupID, 'unfreeze')
      await unfreeze(rooms, actor, wish)
      return {}
    },
  }
}
