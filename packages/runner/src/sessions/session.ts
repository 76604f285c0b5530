// What the runner knows of one session while it runs. Messages are in its queue, never here.
import { EventEmitter } from 'node:events'
import type { AgentGroupID, ConversationID, SessionID } from '@gatehouse/contracts'
import type { About } from '../queue/about.ts'
import type { SessionState } from './machine.ts'
import type { Run } from './run.ts'

export interface Session extends About {
  readonly id: SessionID
  readonly agentGroupID: AgentGroupID
  readonly conversationID: ConversationID
  /** Moved by `move` alone. */
  state: SessionState
  /** The gateway knows it: false until it has said so. */
  open: boolean
  /** Something was accepted for it, so there is a queue on disk. */
  hasQueue: boolean
  /** Messages that the agent has not acknowledged. */
  waiting: number
  launches: number
  lastExit: string | undefined
  /** To be launched even if nothing waits: it was warm before its relaunch. */
  again: boolean
  /** When its sandboxes failed, milliseconds. */
  failures: number[]
  /** Why nothing is launched for it any more. */
  parked: string | undefined
  /** Some decision has not reached the agent yet. */
  untold: boolean
  /** The present sandbox, from the preparation of its launch to its end. */
  run: Run | undefined
  /** The one loop that launches for it. */
  keeping: Promise<void> | undefined
  /** `message`: something new may be delivered. `surface`: the gateway may have heard of a surface. */
  readonly news: EventEmitter<{ message: []; surface: [] }>
}

export const createSession = ({ id, agentGroupID, conversationID }: About): Session => ({
  id,
  agentGroupID,
  conversationID,
  state: 'idle',
  open: false,
  hasQueue: false,
  waiting: 0,
  launches: 0,
  lastExit: undefined,
  again: false,
  failures: [],
  parked: undefined,
  untold: false,
  run: undefined,
  keeping: undefined,
  news: new EventEmitter(),
})
