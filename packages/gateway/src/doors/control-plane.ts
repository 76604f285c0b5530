// The door of people, through the control plane: who asks is resolved from the token's digest, call by call.
import type { gatewayControlPlane } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import type { Rooms } from '../rooms.ts'
import { changeListsDoor } from './change-lists.ts'
import { changesDoor } from './changes.ts'
import { groupsDoor } from './groups.ts'
import { journalDoor } from './journal.ts'
import { peopleDoor } from './people.ts'
import { serversDoor } from './servers.ts'

export const controlPlaneDoor = (rooms: Rooms): Handlers<typeof gatewayControlPlane> => ({
  ...peopleDoor(rooms),
  ...changesDoor(rooms),
  ...changeListsDoor(rooms),
  ...groupsDoor(rooms),
  ...serversDoor(rooms),
  ...journalDoor(rooms),
})
