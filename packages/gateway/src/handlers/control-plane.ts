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
import { readObservation } from '../evidence/observation.ts'
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

/** Calls about agent groups and their wirings. Groups that a token may not see are reported as not found. */
const groupHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, 'groups' | 'group' | 'wirings'> => {
  const authenticate = createAuthenticate(services)
  const rows = services.store.read
  return {
    groups: async ({ token }) => {
      const { principal } = authenticate(token, 'groups')
      return { items: (await readGroups(rows)).filter(({ id }) => sees(principal, id)) }
    },
    group: async ({ token, agentGroupID }) => {
      const { principal } = authenticate(token, 'group')
      const group = sees(principal, agentGroupID) ? await readGroup(rows, agentGroupID) : undefined
      if (group === undefined) throw unknownGroup()
      return group
    },
    wirings: async ({ token, agentGroupID: only }) => {
      const { principal } = authenticate(token, 'wirings')
      const wirings = await readWirings(rows)
      return { items: wirings.filter(({ agentGroupID: id }) => sees(principal, id) && (only === undefined || only === id)) }
    },
  }
}

/** Calls about the journal. */
const journalHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof journalCalls> => {
  const authenticate = createAuthenticate(services)
  const check = createCheck(services)
  return {
    audit: async ({ token, ...query }) => pageAudit(services, authenticate(token, 'audit').principal, query),
    auditHead: async ({ token }) => (authenticate(token, 'auditHead'), auditHead(services.journal)),
    auditVerify: async ({ token }) => (authenticate(token, 'auditVerify'), check.run()),
    news: async ({ token, ...after }) => readFeed(services, authenticate(token, 'news').principal, after),
  }
}

/** Throws unless the principal may act on this group, or on the whole unit. */
const assertInScope = (principal: Principal, agentGroupID: string | undefined, act: Act): void => {
  if (sees(principal, agentGroupID)) return
  if (agentGroupID === undefined) throw wholeUnitOnly(`${act} of the unit`)
  throw new ServiceError('not-found', { detail: `agent group ${agentGroupID} not found`, hint: 'list the groups' })
}

const peopleHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, keyof typeof peopleCalls> => {
  const authenticate = createAuthenticate(services)
  return {
    permit: async ({ token, ...request }) => permit(services, authenticate(token, request.route), request),
    terminate: async ({ token, ...request }) => terminate(services, authenticate(token, 'terminate'), request),
    tokens: async ({ token }) => (authenticate(token, 'tokens'), listTokens(services)),
    createToken: async ({ token, wanted }) => createToken(services, authenticate(token, 'createToken').actor, wanted),
    revokeToken: async ({ token, name }) => revokeToken(services, authenticate(token, 'revokeToken').actor, name),
    freezes: async ({ token }) => listFreezes(services.freezes, authenticate(token, 'freezes').principal),
    freeze: async ({ token, ...request }) => {
      const { principal, actor } = authenticate(token, 'freeze')
      assertInScope(principal, request.agentGroupID, 'freeze')
      return freeze(services, actor, request)
    },
    unfreeze: async ({ token, ...request }) => {
      const { principal, actor } = authenticate(token, 'unfreeze')
      assertInScope(principal, request.agentGroupID, 'unfreeze')
      await unfreeze(services, actor, request)
      return {}
    },
  }
}

/** Calls about tool servers, grants and explanations. */
type Calls = 'grants' | 'explain' | 'servers' | 'server' | 'declaredTools' | 'putServer' | 'removeServer' | 'reload'

const serverHandlers = (services: Services): Pick<Handlers<typeof gatewayControlPlane>, Calls> => {
  const authenticate = createAuthenticate(services)
  return {
    grants: async ({ token, agentGroupID: only }) => {
      const { principal } = authenticate(token, 'grants')
      return listGrants(services, (id) => sees(principal, id) && (only === undefined || only === id))
    },
    explain: async ({ token, ...request }) => {
      assertSees(authenticate(token, 'explain').principal, request.agentGroupID)
      if ((await readGroup(services.store.read, request.agentGroupID)) === undefined) throw unknownGroup()
      return explain(services, request)
    },
    servers: async ({ token }) => (authenticate(token, 'servers'), listServers(services.catalog)),
    server: async ({ token, name }) => (authenticate(token, 'server'), readServer(services, name)),
    declaredTools: async ({ token, name: given }) => {
      authenticate(token, 'declaredTools')
      const { name, digest } = await readServer(services, given)
      const observation = await readObservation(services.store.read, name, digest)
      return observation === undefined ? { tools: [] } : { at: observation.at, tools: observation.tools }
    },
    putServer: async ({ token, ...request }) => putServer(services, authenticate(token, 'putServer').actor, request),
    removeServer: async ({ token, ...request }) => (await removeServer(services, authenticate(token, 'removeServer').actor, request), {}),
    reload: async ({ token }) => reloadCatalog(services, authenticate(token, 'reload').actor),
  }
}

/** Calls of external clients. */
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
