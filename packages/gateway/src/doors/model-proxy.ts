// The model proxy's door: which model a session may use now, and which sessions need a socket for it. It decides nothing.
import type { gatewayModelProxy } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { authorizeModel, modelHolding } from '../models/authorize.ts'
import type { Rooms } from '../rooms.ts'
import { surfaceReady, withoutConversation } from '../sessions/surface.ts'

export const modelProxyDoor = (rooms: Rooms): Handlers<typeof gatewayModelProxy> => ({
  authorizeModel: (wanted) => authorizeModel(rooms, wanted),
  holding: ({ session }) => modelHolding(rooms, session),
  sessions: () =>
    rooms.sessions
      .all()
      .filter(({ expected }) => expected.includes('model'))
      .map(withoutConversation),
  surfaceReady: (seen) => (surfaceReady(rooms, seen), {}),
})
