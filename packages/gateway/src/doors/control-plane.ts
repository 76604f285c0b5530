// The door of people, through the control plane: who asks is resolved from the token's digest, call by call.
import { gatewayControlPlane, type Principal, ServiceError } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { putServer } from '../catalog/put.ts'
import { listServers, readServer } from '../catalog/read.ts'
import { removeServer } from '../catalog/remove.ts'
import { decide } from '../changes/decide.ts'
import type { Actor } from '../changes/lines.ts'
import { listChanges } from '../changes/list.ts'
import { readChange } from '../changes/read.ts'
import { submit } from '../changes/submit.ts'
import { pageAudit } from '../ledger/page.ts'
import type { Act } from '../principals/role.ts'
import { readGrants, readGroup, readGroups } from '../registry/world.ts'
import type { Rooms } from '../rooms.ts'

const edge = gatewayControlPlane.caller

const permit = async (rooms: Rooms, principal: Principal, agentGroupID: string | undefined): Promise<Principal> => {
  if (agentGroupID !== undefined && (await readGroup(rooms.store.read, agentGroupID)) === undefined) {
    throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}`, hint: 'list the groups' })
  }
  return principal
}

export const controlPlaneDoor = (rooms: Rooms): Handlers<typeof gatewayControlPlane> => {
  const { store, journal, catalog } = rooms
  const may = (token: string | null, act: Act): Principal => rooms.principals.resolve(token, act)
  const actor = (token: string | null, act: Act): Actor => ({ edge, principal: may(token, act).name })
  return {
    permit: async ({ token, route, agentGroupID }) => permit(rooms, may(token, route), agentGroupID),
    submit: async ({ token, submission }) => {
      const asker = actor(token, 'submit')
      return submit(rooms, { ...asker, by: `api:${asker.principal}` }, submission)
    },
    decide: async ({ token, ...verdict }) => decide(rooms, actor(token, 'decide'), verdict),
    pending: async ({ token, ...page }) => (may(token, 'pending'), listChanges(store.read, 'pending', page)),
    history: async ({ token, ...page }) => (may(token, 'history'), listChanges(store.read, 'history', page)),
    change: async ({ token, id }) => (may(token, 'change'), readChange(store.read, id)),
    audit: async ({ token, ...page }) => (may(token, 'audit'), pageAudit(journal, page)),
    groups: async ({ token }) => (may(token, 'groups'), { items: await readGroups(store.read) }),
    grants: async ({ token }) => (may(token, 'grants'), { items: await readGrants(store.read) }),
    servers: async ({ token }) => (may(token, 'servers'), listServers(catalog)),
    server: async ({ token, name }) => (may(token, 'server'), readServer(catalog, name)),
    putServer: async ({ token, name, entry }) => putServer(rooms, actor(token, 'putServer'), { name, entry }),
    removeServer: async ({ token, name }) => (await removeServer(rooms, actor(token, 'removeServer'), name), {}),
  }
}
