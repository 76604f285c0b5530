// The calls that show changes. What leaves here is masked, and what a token does not see is not there.
import type { Change, gatewayControlPlane, Principal } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { countHeld } from '../changes/count-held.ts'
import { type ListName, listChanges, type Search } from '../changes/list.ts'
import { readChange, unknownChange } from '../changes/read.ts'
import { viewChange } from '../changes/view.ts'
import { readWhole } from '../evidence/whole.ts'
import { sees } from '../principals/scope.ts'
import { reachOf } from '../reach/reach.ts'
import type { Rooms } from '../rooms.ts'
import { maskChange } from '../secrets/mask.ts'
import { entrance } from './entrance.ts'

/** Throws `not-found` for one of a group outside, as for one that does not exist. */
export const findSeen = async (rooms: Rooms, principal: Principal, id: string): Promise<Change> => {
  const change = await readChange(rooms, id)
  if (!sees(principal, change.agentGroupID)) throw unknownChange(id)
  return change
}

const list = async (rooms: Rooms, at: { which: ListName; principal: Principal }, search: Search) => {
  const { items, ...page } = await listChanges(rooms, at, search)
  return { items: items.map((change) => maskChange(rooms.secrets, change)), ...page }
}

export const changeListsDoor = (
  rooms: Rooms,
): Pick<Handlers<typeof gatewayControlPlane>, 'pending' | 'heldCount' | 'history' | 'change' | 'evidence' | 'reach'> => {
  const enter = entrance(rooms)
  return {
    pending: async ({ token, ...search }) => list(rooms, { which: 'pending', principal: enter(token, 'pending').principal }, search),
    heldCount: async ({ token }) => ({ held: await countHeld(rooms, enter(token, 'heldCount').principal) }),
    history: async ({ token, ...search }) => list(rooms, { which: 'history', principal: enter(token, 'history').principal }, search),
    change: async ({ token, id }) => {
      const { principal } = enter(token, 'change')
      return maskChange(rooms.secrets, await viewChange(rooms, await findSeen(rooms, principal, id)))
    },
    evidence: async ({ token, id }) => {
      const { principal } = enter(token, 'evidence')
      return readWhole(rooms.store.read, await findSeen(rooms, principal, id))
    },
    reach: async ({ token, id }) => {
      const { principal } = enter(token, 'reach')
      return reachOf(rooms, await findSeen(rooms, principal, id))
    },
  }
}
