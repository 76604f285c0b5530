// RPC handlers for people, through the control plane; each delegates to one use case.
import {
  type clientCalls,
  gatewayControlPlane,
  type journalCalls,
  type peopleCalls,
  type Principal,
  ServiceError,
} from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { permit } from '../auth/permit.ts'
import { createToken, listTokens, revokeToken } from '../auth/tokens.ts'
import { reloadCatalog } from '../catalog/reload.ts'
import { listServers, putServer, readServer, removeServer } from '../catalog/servers.ts'
import type { Services } from '../compose.ts'
import { readFeed } from '../events/feed.ts'
import { freeze, listFreezes, unfreeze } from '../freeze.ts'
import { listGrants } from '../grants/drift.ts'
import { explain } from '../grants/explain.ts'
import { pageAudit } from '../ledger/query.ts'
import { auditHead, createCheck } from '../ledger/verify.ts'
import { readForClient, submitForClient, withdrawForClient } from '../sessions/clients.ts'
import { terminate } from '../sessions/terminate.ts'
import { type Act, assertSees, sees, unknownGroup, wholeUnitOnly } from '../state/roles.ts'
import { readGroup, readGroups, readWirings } from '../state/unit-config.ts'
import { createAuthenticate } from './authenticate.ts'
import { changeHandlers, changeListHandlers } from './changes.ts'

/** The calls that show what agent groups are and where they are reached. Groups that a token does not see are not there. */
const groupHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, 'groups' | 'group' | 'wirings'> => {
  const enter = createAuthenticate(services)
  const rows = services.store.read
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

/** The calls of people about the journal. */
const journalHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof journalCalls> => {
  const enter = createAuthenticate(services)
  const check = createCheck(services)
  return {
    audit: async ({ token, ...query }) => pageAudit(services, enter(token, 'audit').principal, query),
    auditHead: async ({ token }) => (enter(token, 'auditHead'), auditHead(services.journal)),
    auditVerify: async ({ token }) => (enter(token, 'auditVerify'), check.run()),
    news: async ({ token, ...after }) => readFeed(services, enter(token, 'news').principal, after),
  }
}

/** The unit is stopped by who may act on all of it. */
const assertReaches = (principal: Principal, agentGroupID: string | undefined, act: Act): void => {
  if (sees(principal, agentGroupID)) return
  if (agentGroupID === undefined) throw wholeUnitOnly(`${act} of the unit`)
  throw new ServiceError('not-found', { detail: `there is no agent group ${agentGroupID}`, hint: 'list the groups' })
}

const peopleHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof peopleCalls> => {
  const enter = createAuthenticate(services)
  return {
    permit: async ({ token, ...passage }) => permit(services, enter(token, passage.route), passage),
    terminate: async ({ token, ...ending }) => terminate(services, enter(token, 'terminate'), ending),
    tokens: async ({ token }) => (enter(token, 'tokens'), listTokens(services)),
    createToken: async ({ token, wanted }) => createToken(services, enter(token, 'createToken').actor, wanted),
    revokeToken: async ({ token, name }) => revokeToken(services, enter(token, 'revokeToken').actor, name),
    freezes: async ({ token }) => listFreezes(services.freezes, enter(token, 'freezes').principal),
    freeze: async ({ token, ...wish }) => {
      const { principal, actor } = enter(token, 'freeze')
      assertReaches(principal, wish.agentGroupID, 'freeze')
      return freeze(services, actor, wish)
    },
    unfreeze: async ({ token, ...wish }) => {
      const { principal, actor } = enter(token, 'unfreeze')
      assertReaches(principal, wish.agentGroupID, 'unfreeze')
      await unfreeze(services, actor, wish)
      return {}
    },
  }
}

/** The calls about tool servers: which there are, who may use them, and why a call would be allowed or not. */
type Calls = 'grants' | 'explain' | 'servers' | 'server' | 'putServer' | 'removeServer' | 'reload'

const serverHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, Calls> => {
  const enter = createAuthenticate(services)
  return {
    grants: async ({ token, agentGroupID: only }) => {
      const { principal } = enter(token, 'grants')
      return listGrants(services, (id) => sees(principal, id) && (only === undefined || only === id))
    },
    explain: async ({ token, ...asked }) => {
      assertSees(enter(token, 'explain').principal, asked.agentGroupID)
      if ((await readGroup(services.store.read, asked.agentGroupID)) === undefined) throw unknownGroup()
      return explain(services, asked)
    },
    servers: async ({ token }) => (enter(token, 'servers'), listServers(services.catalog)),
    server: async ({ token, name }) => (enter(token, 'server'), readServer(services, name)),
    putServer: async ({ token, ...given }) => putServer(services, enter(token, 'putServer').actor, given),
    removeServer: async ({ token, ...given }) => (await removeServer(services, enter(token, 'removeServer').actor, given), {}),
    reload: async ({ token }) => reloadCatalog(services, enter(token, 'reload').actor),
  }
}

/** The calls of clients outside of a sandbox. */
const clientHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof clientCalls> => {
  const edge = gatewayControlPlane.caller
  return {
    clientSubmit: (request) => submitForClient(services, edge, request),
    clientChange: (request) => readForClient(services, request),
    clientWithdraw: (request) => withdrawForClient(services, edge, request),
  }
}

export const controlPlaneHandlers = (services: Services): Handlers<typeof gatewayControlPlane> => ({
  ...peopleHandlers(services),
  ...clientHandlers(services),
  ...changeHandlers(services),
  ...changeListHandlers(services),
  ...groupHandlers(services),
  ...serverHandlers(services),
  ...journalHandlers(services),
})
