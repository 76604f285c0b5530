// The calls that show what agent groups are and where they are reached. Groups that a token does not see are not there.
import type { gatewayControlPlane } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { sees, unknownGroup } from '../principals/scope.ts'
import { readGroup, readGroups, readWirings } from '../registry/world.ts'
import type { Rooms } from '../rooms.ts'
import { entrance } from './entrance.ts'

export const groupsDoor = (rooms: Rooms): Pick<Handlers<typeof gatewayControlPlane>, 'groups' | 'group' | 'wirings'> => {
  const enter = entrance(rooms)
  const rows = rooms.store.read
  return {
    groups: async ({ token }) => {
      const { principal } = enter(token, 'groups')
      return { items: (await readGroups(rows)).filter(({ id }) => sees(principal, id)) }
    },
    group: async ({ token, agentGroupID }) => {
      const { principal } = enter(token, 'group')
      const group = sees(principal, agentGroupID) ? await readGroup(rows, agentGroupID) : undefined
      if (group === undefined) throw unknownGroup()
      return group
    },
    wirings: async ({ token, agentGroupID: only }) => {
      const { principal } = enter(token, 'wirings')
      const wirings = await readWirings(rows)
      return { items: wirings.filter(({ agentGroupID: id }) => sees(principal, id) && (only === undefined || only === id)) }
    },
  }
}
