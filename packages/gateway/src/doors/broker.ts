// The broker's door: what is allowed, what is configured, which sessions need a socket. It decides nothing.
import type { gatewayBroker } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { storedServers } from '../catalog/read.ts'
import { observe } from '../evidence/observe.ts'
import { authorize, grantsOf } from '../grants/authorize.ts'
import type { Rooms } from '../rooms.ts'
import { surfaceReady, withoutConversation } from '../sessions/surface.ts'

export const brokerDoor = (rooms: Rooms): Handlers<typeof gatewayBroker> => ({
  authorize: (asked) => authorize(rooms, asked),
  grants: ({ session }) => grantsOf(rooms, session),
  catalog: () => storedServers(rooms.catalog),
  sessions: () => rooms.sessions.all().map(withoutConversation),
  surfaceReady: (seen) => (surfaceReady(rooms, seen), {}),
  observed: async (seen) => (await observe(rooms, seen), {}),
})
