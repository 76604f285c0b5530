// The runner's door: sessions, what a group is, and changes on behalf of a session that the runner knows by its socket.
import { gatewayRunner } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { tellCondition } from '../changes/conditions.ts'
import { sighted } from '../evidence/sightings.ts'
import { resolved, treeOf, treesOf } from '../evidence/trees.ts'
import { note } from '../ledger/note.ts'
import { readGroups } from '../registry/world.ts'
import type { Rooms } from '../rooms.ts'
import { changeOf, outcomeOf } from '../sessions/change-for.ts'
import { closeSession } from '../sessions/close.ts'
import { openSession } from '../sessions/open.ts'
import { sessionAndGroup } from '../sessions/read.ts'
import { submitFor } from '../sessions/submit-for.ts'
import { withdrawFor } from '../sessions/withdraw-for.ts'

const edge = gatewayRunner.caller

export const runnerDoor = (rooms: Rooms): Handlers<typeof gatewayRunner> => ({
  openSession: (place) => openSession(rooms, place),
  closeSession: async ({ session }) => (await closeSession(rooms, session), {}),
  session: ({ session }) => sessionAndGroup(rooms, session),
  sessions: () => rooms.sessions.all(),
  submitFor: (asked) => submitFor(rooms, edge, asked),
  changeFor: async (asked) => outcomeOf(await changeOf(rooms, asked)),
  withdrawFor: (asked) => withdrawFor(rooms, edge, asked),
  sighted: async ({ mounts }) => (await sighted(rooms, mounts), {}),
  imagesSighted: ({ images }) => (rooms.images.sighted(images), {}),
  resolved: async (tree) => (await resolved(rooms, tree), {}),
  tree: ({ changeID }) => treeOf(rooms, changeID),
  groups: async () => (await readGroups(rooms.store.read)).map(({ id }) => id),
  trees: () => treesOf(rooms),
  condition: async (told) => (await tellCondition(rooms, told), {}),
  note: async (line) => (await note(rooms.ledger, edge, line), {}),
})
