// The door of the channels: who may be heard where, who may speak there, what is to be shown; and a narrow way to decide.
import type { gatewayChannels } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { carded } from '../cards/carded.ts'
import { decideAs } from '../cards/decide-as.ts'
import { cardTasks } from '../cards/tasks.ts'
import { admit, maySpeak } from '../channels/admit.ts'
import type { Rooms } from '../rooms.ts'

export const channelsDoor = (rooms: Rooms): Handlers<typeof gatewayChannels> => ({
  admit: (asked) => admit(rooms, asked),
  cards: (asked) => cardTasks(rooms, asked),
  carded: async (told) => (await carded(rooms, told), {}),
  decideAs: (word) => decideAs(rooms, word),
  maySpeak: async (asked) => ({ verdict: await maySpeak(rooms, asked) }),
})
