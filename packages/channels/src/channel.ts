// What a channel is to the rest of this process: it hears, it speaks, it proves its credentials. One folder a channel.
import type { ChannelName, Reference } from '@gatehouse/contracts'

/** At most so many a second, after a first burst. */
export interface Pace {
  readonly perSecond: number
  readonly burst: number
}

/** What the service of a channel can do, as far as it matters to what is sent there. */
export interface Capabilities {
  /** Places there have threads of their own. */
  readonly threads: boolean
  /** A second message with the same id is dropped there; without it a death between sending and noting sends twice. */
  readonly ids: boolean
  /** UTF-16 units of the longest message. */
  readonly length: number
  /** What the service takes from one sender, and to one place. */
  readonly pace: Pace
  readonly placePace: Pace
}

export interface InboundFile {
  readonly name: string
  /** Bytes, as far as the service says; undefined where it does not. */
  readonly size: number | undefined
  /** Never more than `limits.file` bytes: rejects where there are more. */
  read(): Promise<Uint8Array>
}

export interface Inbound {
  /** By which the service itself tells one message from another, over restarts too. */
  readonly id: string
  /** The place that a wiring names. */
  readonly address: string
  /** The thread within the place; undefined where the service has none. */
  readonly thread: string | undefined
  /** Who wrote it, as the service has proved it: what members are named by. */
  readonly user: string
  /** The service does not vouch for `user`: then nobody is heard. */
  readonly unproven?: boolean
  /** It speaks to the agent: by name, or in private. */
  readonly mentioned: boolean
  /** Written by a machine, ourselves included: never heard, so that two machines do not talk for ever. */
  readonly automatic: boolean
  readonly text: string
  readonly files: readonly InboundFile[]
  /** What `send` needs to answer it. */
  readonly reference: Reference
}

/**
 * `busy` and `full`: not taken, and would be later. The rest is final: nobody is told why a person was not heard.
 */
export const outcomes = ['taken', 'known', 'automatic', 'unproven', 'unwired', 'stranger', 'unengaged', 'busy', 'full', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export interface Listener {
  /** The message is on disk, or will never be, when it resolves. Rejects where it is not known: then it must be brought again. */
  readonly take: (message: Inbound) => Promise<Outcome>
  /** The connection stands. `account`: who we are there. */
  readonly up: (account?: string) => void
  readonly signal: AbortSignal
}

export interface Outgoing {
  /** The same each time this part of this message is sent. */
  readonly id: string
  readonly address: string
  readonly thread: string | undefined
  readonly text: string
  /** RFC 3339; when the agent said it. */
  readonly at: string
  /** Counted from 0. */
  readonly part: number
  readonly parts: number
  readonly reference: Reference
}

export interface Channel {
  readonly name: ChannelName
  readonly can: Capabilities
  /** Hears until the signal aborts, then resolves. Rejects with `ChannelFault` when the connection is lost. */
  receive(listener: Listener): Promise<void>
  /** Resolves when the service has it; `kept`: nobody listens there. Rejects with `SendFailure`; anything else is tried again. */
  send(message: Outgoing, signal: AbortSignal): Promise<'sent' | 'kept'>
  /** Asks the service whether it takes the credentials. Rejects with `ChannelFault`. */
  verify(signal: AbortSignal): Promise<{ readonly account?: string }>
  close(): Promise<void>
}

/** `refused`: the service does not take the credentials. `phrase`: one of our own, never a word of the service's. */
export class ChannelFault extends Error {
  readonly kind: 'away' | 'refused'

  constructor(kind: ChannelFault['kind'], phrase: string, cause?: unknown) {
    super(phrase, { cause })
    this.name = 'ChannelFault'
    this.kind = kind
  }
}

export interface SendFailureOptions {
  readonly after?: number | undefined
  readonly everywhere?: boolean
  readonly cause?: unknown
}

/** `later`: tried again, not before `after` milliseconds. `never`: it becomes a dead letter, with this reason. */
export class SendFailure extends Error {
  readonly kind: 'later' | 'never'
  readonly after: number | undefined

  /** The service wants silence of us everywhere, not only at this place. */
  readonly everywhere: boolean

  constructor(kind: SendFailure['kind'], reason: string, { after, everywhere = false, cause }: SendFailureOptions = {}) {
    super(reason, { cause })
    this.name = 'SendFailure'
    this.kind = kind
    this.after = after
    this.everywhere = everywhere
  }
}
