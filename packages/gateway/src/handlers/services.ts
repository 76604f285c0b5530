// RPC handlers for the other processes of the unit; each delegates to one use case.
import { type gatewayBroker, type gatewayChannels, type gatewayModelProxy, gatewayRunner } from '@gatehouse/contracts'
import type { Handlers, LifeHandlers } from '@gatehouse/rpc'
import { recordLogin, recordLogout } from '../catalog/logins.ts'
import { storedServers } from '../catalog/servers.ts'
import { reportRollout } from '../changes/rollout.ts'
import { admit, maySpeak } from '../channels/admit.ts'
import { cardTasks } from '../channels/card-tasks.ts'
import { recordCardDelivery } from '../channels/cards.ts'
import { decideAs } from '../channels/decide-as.ts'
import type { Services } from '../compose.ts'
import { reportMounts } from '../evidence/mounts.ts'
import { listUsedTrees, readApprovedTree, reportTree } from '../evidence/packages.ts'
import { observe } from '../evidence/tools.ts'
import { authorizeModel, readModelTerms } from '../grants/authorize-model.ts'
import { authorize, listLiveGrants } from '../grants/authorize.ts'
import { health, readMetrics } from '../health.ts'
import { note } from '../ledger/ledger.ts'
import { readGroupChange, submitFor, toOutcome, withdrawFor } from '../sessions/agent-changes.ts'
import { clientSession } from '../sessions/clients.ts'
import { closeSession, openSession, sessionAndGroup, surfaceReady, withoutConversation } from '../sessions/lifecycle.ts'
import { readGroups } from '../state/unit-config.ts'

const edge = gatewayRunner.caller

export const runnerHandlers = (services: Services): Handlers<typeof gatewayRunner> => ({
  openSession: (place) => openSession(services, place),
  closeSession: async ({ session }) => (await closeSession(services, session), {}),
  session: ({ session }) => sessionAndGroup(services, session),
  sessions: () => services.sessions.all().filter(({ external }) => external !== true),
  submitFor: (request) => submitFor(services, edge, request),
  changeFor: async (request) => toOutcome(await readGroupChange(services, request)),
  withdrawFor: (request) => withdrawFor(services, edge, request),
  sighted: async ({ mounts }) => (await reportMounts(services, mounts), {}),
  imagesSighted: ({ images }) => (services.images.report(images), {}),
  resolved: async (tree) => (await reportTree(services, tree), {}),
  tree: ({ changeID }) => readApprovedTree(services, changeID),
  groups: async () => (await readGroups(services.store.read)).map(({ id }) => id),
  trees: () => listUsedTrees(services),
  condition: async (report) => (await reportRollout(services, report), {}),
  note: async (line) => (await note(services.ledger, edge, line), {}),
})

/** Handlers for the broker: authorization of calls, configured servers, and the sessions that need a socket. */
export const brokerHandlers = (services: Services): Handlers<typeof gatewayBroker> => ({
  authorize: (call) => authorize(services, call),
  grants: ({ session }) => listLiveGrants(services, session),
  clientSession: async ({ token }) => {
    const { id, agentGroupID } = await clientSession(services, token)
    return { session: id, agentGroupID }
  },
  catalog: () => storedServers(services.catalog),
  sessions: () =>
    services.sessions
      .all()
      .filter(({ expected }) => expected.includes('tools'))
      .map(withoutConversation),
  surfaceReady: (report) => (surfaceReady(services, report), {}),
  observed: async (listing) => (await observe(services, listing), {}),
  loggedIn: async (login) => (await recordLogin(services, login), {}),
  loggedOut: async (logout) => (await recordLogout(services, logout), {}),
})

/** Handlers for the channels: admission of messages and answers, approval cards, and decisions from a channel. */
export const channelsHandlers = (services: Services): Handlers<typeof gatewayChannels> => ({
  admit: (message) => admit(services, message),
  cards: (query) => cardTasks(services, query),
  carded: async (report) => (await recordCardDelivery(services, report), {}),
  decideAs: (decision) => decideAs(services, decision),
  maySpeak: async (answer) => ({ verdict: await maySpeak(services, answer) }),
})

/** Handlers for the model proxy: authorization of model requests, and the sessions that need a socket. */
export const modelProxyHandlers = (services: Services): Handlers<typeof gatewayModelProxy> => ({
  authorizeModel: (request) => authorizeModel(services, request),
  holding: ({ session }) => readModelTerms(services, session),
  sessions: () =>
    services.sessions
      .all()
      .filter(({ expected }) => expected.includes('model'))
      .map(withoutConversation),
  surfaceReady: (report) => (surfaceReady(services, report), {}),
})

/** Handlers for the supervisor. */
export const supervisorHandlers = (services: Services): LifeHandlers => ({
  health: () => health(services),
  metrics: () => readMetrics(services),
})
