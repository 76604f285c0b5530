// What the runner knows of one session while it runs. Messages are in its queue, never here.
import { EventEmitter } from 'node:events'
import type { AgentGroupID, ChangeID, ConversationID, MessageID, SessionID } from '@gatehouse/contracts'
import type { About } from '../queue/about.ts'
import type { Progress } from '../queue/delivery.ts'
import type { SessionState } from './machine.ts'
import { SessionOutput } from './output.ts'
import type { Run } from './run.ts'
import { Words } from './words.ts'

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
  /** How far its channel has taken what the agent said; undefined for a conversation of no channel. */
  delivery: Progress | undefined
  /** The highest number among its messages; `unclear` while a write may have happened or not. */
  lastSeq: number
  unclear: boolean
  /** What its queue takes of the disk, as of its last message. */
  bytes: number
  /** How much its agent may still say. */
  readonly words: Words
  /** People have heard that its agent can say nothing more. */
  muteTold: boolean
  launches: number
  lastExit: string | undefined
  /** To be launched even if nothing waits: it was warm before its relaunch. */
  again: boolean
  /** Nothing is launched for it and nothing new delivered, as far as the gateway has said. */
  frozen: boolean
  /** Counts the questions of it to the gateway. */
  asked: number
  /** Its sandbox is to be replaced once it is not frozen any more. */
  stale: 'changed' | 'narrowed' | undefined
  /** When its sandboxes failed, milliseconds. */
  failures: number[]
  /** Why nothing is launched for it any more. */
  parked: string | undefined
  /** What a person has to do before it is resumed, where that is known. */
  fix: string | undefined
  /** Some decision has not reached the agent yet. */
  untold: boolean
  /** The present sandbox, from the preparation of its launch to its end. */
  run: Run | undefined
  /** The one loop that launches for it. */
  keeping: Promise<void> | undefined
  /** Ends the pause before the next attempt. */
  pause: AbortController | undefined
  /** When each message that is not acknowledged was first handed to a sandbox. */
  readonly handed: Map<MessageID, string>
  /** Applied changes that its next sandbox will know, each with the sandbox that did not. */
  readonly owed: Map<ChangeID, Run | undefined>
  /** Resolves when all that was to be said about changes has been said. */
  telling: Promise<unknown>
  readonly output: SessionOutput
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
  delivery: undefined,
  lastSeq: 0,
  unclear: false,
  bytes: 0,
  words: new Words(),
  muteTold: false,
  launches: 0,
  lastExit: undefined,
  again: false,
  frozen: false,
  asked: 0,
  stale: undefined,
  failures: [],
  parked: undefined,
  fix: undefined,
  untold: false,
  run: undefined,
  keeping: undefined,
  pause: undefined,
  handed: new Map(),
  owed: new Map(),
  telling: Promise.resolve(),
  output: new SessionOutput(),
  news: new EventEmitter(),
})
