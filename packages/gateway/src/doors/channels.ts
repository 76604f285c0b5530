// The door of the channels: who may be heard where, and who may speak there. It decides nothing.
import type { gatewayChannels } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { admit, maySpeak } from '../channels/admit.ts'
import type { Rooms } from '../rooms.ts'

export const channelsDoor = (rooms: Rooms): Handlers<typeof gatewayChannels> => ({
  admit: (asked) => admit(rooms, asked),
  maySpeak: async (asked) => ({ verdict: await maySpeak(rooms, asked) }),
})
