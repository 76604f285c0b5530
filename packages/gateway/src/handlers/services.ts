// RPC handlers for the other processes of the unit; each delegates to one use case.
import { type gatewayBroker, type gatewayChannels, type gatewayModelProxy, gatewayRunner } from '@gatehouse/contracts'
import type { Handlers, LifeHandlers } from '@gatehouse/rpc'
import { storedServers } from '../catalog/servers.ts'
import { reportRollout } from '../changes/rollout.ts'
import { admit, maySpeak } from '../channels/admit.ts'
import { cardTasks } from '../channels/card-tasks.ts'
import { recordCardDelivery } from '../channels/cards.ts'
import { decideAs } from '../channels/decide-as.ts'
import type { Services } from '../compose.ts'
import { reportMounts } from '../evidence/mounts.ts'
import { resolved, treeOf, treesOf } from '../evidence/packages.ts'
import { observe } from '../evidence/tools.ts'
import { authorizeModel, modelHolding } from '../grants/authorize-model.ts'
import { authorize, grantsOf } from '../grants/authorize.ts'
import { health, readMetrics } from '../health.ts'
import { note } from '../ledger/ledger.ts'
import { changeOf, outcomeOf, submitFor, withdrawFor } from '../sessions/agent-changes.ts'
import { clientSession } from '../sessions/clients.ts'
import { closeSession, openSession, sessionAndGroup, surfaceReady, withoutConversation } from '../sessions/lifecycle.ts'
import { readGroups } from '../state/unit-config.ts'

const edge = gatewayRunner.caller

export const runnerHandlers = (services: Services): Handlers<typeof gatewayRunner> => ({
  openSession: (place) => openSession(services, place),
  closeSession: async ({ session }) => (await closeSession(services, session), {}),
  session: ({ session }) => sessionAndGroup(services, session),
  sessions: () => services.sessions.all().filter(({ external }) => external !== true),
  submitFor: (asked) => submitFor(services, edge, asked),
  changeFor: async (asked) => outcomeOf(await changeOf(services, asked)),
  withdrawFor: (asked) => withdrawFor(services, edge, asked),
  sighted: async ({ mounts }) => (await reportMounts(services, mounts), {}),
  imagesSighted: ({ images }) => (services.images.sighted(images), {}),
  resolved: async (tree) => (await resolved(services, tree), {}),
  tree: ({ changeID }) => treeOf(services, changeID),
  groups: async () => (await readGroups(services.store.read)).map(({ id }) => id),
  trees: () => treesOf(services),
  condition: async (told) => (await reportRollout(services, told), {}),
  note: async (line) => (await note(services.ledger, edge, line), {}),
})

/** The broker's door: what is allowed, what is configured, which sessions need a socket. It decides nothing. */
export const brokerHandlers = (services: Services): Handlers<typeof gatewayBroker> => ({
  authorize: (asked) => authorize(services, asked),
  grants: ({ session }) => grantsOf(services, session),
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
  surfaceReady: (seen) => (surfaceReady(services, seen), {}),
  observed: async (seen) => (await observe(services, seen), {}),
})

/** The door of the channels: who may be heard where, who may speak there, what is to be shown; and a narrow way to decide. */
export const channelsHandlers = (services: Services): Handlers<typeof gatewayChannels> => ({
  admit: (asked) => admit(services, asked),
  cards: (asked) => cardTasks(services, asked),
  carded: async (told) => (await recordCardDelivery(services, told), {}),
  decideAs: (word) => decideAs(services, word),
  maySpeak: async (asked) => ({ verdict: await maySpeak(services, asked) }),
})

/** The model proxy's door: which model a session may use now, and which sessions need a socket for it. It decides nothing. */
export const modelProxyHandlers = (services: Services): Handlers<typeof gatewayModelProxy> => ({
  authorizeModel: (wanted) => authorizeModel(services, wanted),
  holding: ({ session }) => modelHolding(services, session),
  sessions: () =>
    services.sessions
      .all()
      .filter(({ expected }) => expected.includes('model'))
      .map(withoutConversation),
  surfaceReady: (seen) => (surfaceReady(services, seen), {}),
})

/** Handlers of the supervisor's edge. */
export const supervisorHandlers = (services: Services): LifeHandlers => ({
  health: () => health(services),
  metrics: () => readMetrics(services),
})
