// State of one session in memory, the last output of its sandboxes, and the rate limit of its messages. Messages themselves are
// only in its queue.
import { EventEmitter } from 'node:events'
import {
  type AgentGroupID,
  type ChangeID,
  type ConversationID,
  limits,
  type MessageID,
  ServiceError,
  type SessionID,
  type SessionLogLine,
} from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import type { Progress } from '../queue/delivery.ts'
import type { QueueOwner } from '../queue/open.ts'
import type { Run, SessionState } from './run.ts'

/** What the sandboxes of a session printed last, for an operator: bounded, in memory alone, gone with the runner. */
export class SessionOutput {
  readonly #lines: SessionLogLine[] = []
  #bytes = 0
  #dropped = 0

  add(sandbox: string, text: string): void {
    const kept = text.slice(0, limits.sessionLogLine)
    this.#lines.push({ at: wallTime(), sandbox, text: kept })
    this.#bytes += kept.length
    while (this.#bytes > limits.sessionLog || this.#lines.length > limits.sessionLogLines) {
      this.#bytes -= this.#lines.shift()?.text.length ?? 0
      this.#dropped += 1
    }
  }

  /** The newest, in order. `dropped`: how many came before those that are kept. */
  last(count: number): { lines: SessionLogLine[]; dropped: number } {
    return { lines: this.#lines.slice(-count), dropped: this.#dropped }
  }
}

/** How much an agent may still say: so much at once, more with time, and one more for each message that it is given. */
class MessageRate {
  #left: number = limits.agentWords
  #at = performance.now()

  /** So that an answer never waits, however often it is asked. */
  give(): void {
    this.#left = Math.min(limits.agentWords, this.#left + 1)
  }

  /** Throws `rate-limited` where nothing is left. */
  take(): void {
    const now = performance.now()
    this.#left = Math.min(limits.agentWords, this.#left + ((now - this.#at) / 60_000) * limits.agentWordsPerMinute)
    this.#at = now
    if (this.#left < 1) {
      throw new ServiceError('rate-limited', {
        detail: `expected at most ${limits.agentWords} messages at once and ${limits.agentWordsPerMinute} a minute, got more`,
        hint: 'send it again in a few seconds, and say more in each message',
      })
    }
    this.#left -= 1
  }
}

export interface Session extends QueueOwner {
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
  /** The rate limit of its agent's messages. */
  readonly words: MessageRate
  /** Whether people were told that its agent cannot send more messages. */
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
  /** Why no sandbox is launched for it anymore. */
  parked: string | undefined
  /** What a person has to do before it is resumed, where that is known. */
  fix: string | undefined
  /** Some decision has not reached the agent yet. */
  untold: boolean
  /** The current sandbox, from the preparation of its launch to its end. */
  run: Run | undefined
  /** The one loop that launches for it. */
  keeping: Promise<void> | undefined
  /** Ends the pause before the next attempt. */
  pause: AbortController | undefined
  /** When each message that is not acknowledged was first handed to a sandbox. */
  readonly handed: Map<MessageID, string>
  /** Applied changes that its next sandbox will know, each with the sandbox that did not. */
  readonly owed: Map<ChangeID, Run | undefined>
  /** Resolves when all reports about changes have been sent. */
  telling: Promise<unknown>
  readonly output: SessionOutput
  /** `message`: a message may be deliverable. `surface`: the gateway may know of another served socket. */
  readonly news: EventEmitter<{ message: []; surface: [] }>
}

export const createSession = ({ id, agentGroupID, conversationID }: QueueOwner): Session => ({
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
  words: new MessageRate(),
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
