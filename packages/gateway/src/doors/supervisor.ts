// The supervisor's door: how it goes.
import type { lifeEdge } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { health, readMetrics } from '../health/life.ts'
import type { Rooms } from '../rooms.ts'

export const supervisorDoor = (rooms: Rooms): Handlers<ReturnType<typeof lifeEdge>> => ({
  health: () => health(rooms),
  metrics: () => readMetrics(rooms),
})
