// The calls about tool servers: which there are, who may use them, and why a call would be allowed or not.
import type { gatewayControlPlane } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { putServer } from '../catalog/put.ts'
import { listServers, readServer } from '../catalog/read.ts'
import { reloadCatalog } from '../catalog/reload.ts'
import { removeServer } from '../catalog/remove.ts'
import { explain } from '../grants/explain.ts'
import { listGrants } from '../grants/view.ts'
import { assertSees, sees, unknownGroup } from '../principals/scope.ts'
import { readGroup } from '../registry/world.ts'
import type { Rooms } from '../rooms.ts'
import { entrance } from './entrance.ts'

type Calls = 'grants' | 'explain' | 'servers' | 'server' | 'putServer' | 'removeServer' | 'reload'

export const serversDoor = (rooms: Rooms): Pick<Handlers<typeof gatewayControlPlane>, Calls> => {
  const enter = entrance(rooms)
  return {
    grants: async ({ token, agentGroupID: only }) => {
      const { principal } = enter(token, 'grants')
      return listGrants(rooms, (id) => sees(principal, id) && (only === undefined || only === id))
    },
    explain: async ({ token, ...asked }) => {
      assertSees(enter(token, 'explain').principal, asked.agentGroupID)
      if ((await readGroup(rooms.store.read, asked.agentGroupID)) === undefined) throw unknownGroup()
      return explain(rooms, asked)
    },
    servers: async ({ token }) => (enter(token, 'servers'), listServers(rooms.catalog)),
    server: async ({ token, name }) => (enter(token, 'server'), readServer(rooms, name)),
    putServer: async ({ token, ...given }) => putServer(rooms, enter(token, 'putServer').actor, given),
    removeServer: async ({ token, ...given }) => (await removeServer(rooms, enter(token, 'removeServer').actor, given), {}),
    reload: async ({ token }) => reloadCatalog(rooms, enter(token, 'reload').actor),
  }
}
