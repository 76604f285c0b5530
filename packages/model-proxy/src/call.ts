// One model call, and the session that it belongs to.
import { randomUUID } from 'node:crypto'
import type { AgentGroupID, ModelErrorCode, SessionID } from '@gatehouse/contracts'
import type { Slot } from '@gatehouse/journal'
import type { Course, Reservation } from './budget.ts'
import type { Usage } from './formats/format.ts'

export interface ModelCall {
  readonly id: string
  readonly caller: ModelCaller
  /** Milliseconds of `performance.now()`. */
  readonly started: number
  provider: string
  model: string
  bytesIn: number
  bytesOut: number
  end: Course['end']
  streamed: boolean
  /** HTTP status of the provider. */
  status?: number
  /** Milliseconds from the start. */
  firstByte?: number
  usage: () => Usage
  reserved: { input: number; output: number }
  reservation?: Reservation
  /** The slot on disk that records the running request. */
  slot?: Slot
  code?: ModelErrorCode
}

export const newCall = (caller: ModelCaller, started: number): ModelCall => ({
  id: `mc_${randomUUID().replaceAll('-', '')}`,
  caller,
  started,
  provider: '',
  model: '',
  bytesIn: 0,
  bytesOut: 0,
  end: 'unsent',
  streamed: false,
  usage: () => ({}),
  reserved: { input: 0, output: 0 },
})

/** Completes the answer after its record is written. */
export type Finish = () => void

/** The session bound to this socket. A request cannot override it. */
export interface ModelCaller {
  readonly id: SessionID
  readonly agentGroupID: AgentGroupID
  /** Running requests of the session. */
  running: number
}
