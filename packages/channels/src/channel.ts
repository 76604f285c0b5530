// The `Channel` interface, which each channel implements in a folder of its own: receive, send, and check credentials.
import type { Card, ChannelName, Reference } from '@gatehouse/contracts'
import type { Block } from './markup/tree.ts'

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
  /** `size`: bytes of the largest file there, 0 for none. */
  readonly files: {
    readonly size: number
    /** A text and all its files go in one message, and `size` bounds them together; else each file goes by itself, with an empty text. */
    readonly together: boolean
  }
  /** It lays out what an agent wrote. */
  readonly markup?: true
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
  /** What of it its sender wrote itself, without a quotation before; absent: all of it. A decision is read in this alone. */
  readonly ownWords?: string
  /** It holds a decision, but not where one is read: nothing is decided, and its sender is told how to. */
  readonly isUnclear?: boolean
  readonly files: readonly InboundFile[]
  /** What `send` needs to answer it. */
  readonly reference: Reference
}

/**
 * `busy` and `full`: not taken, and would be later. The rest is final: nobody is told why a person was not heard.
 */
export const outcomes = [
  'taken',
  'known',
  'automatic',
  'unproven',
  'unwired',
  'stranger',
  'unengaged',
  'decided',
  'unclear',
  'busy',
  'full',
  'refused',
] as const
export type Outcome = (typeof outcomes)[number]

/** A held change as it is shown; `url`: of the console's page about it. */
export interface ShownCard extends Card {
  readonly url?: string
}

export interface Press {
  /** By which the service tells one press from another. */
  readonly id: string
  readonly address: string
  /** Who pressed it, as the service has proved it. */
  readonly user: string
  readonly changeID: string
  /** The first 16 hex digits of the card's, or more. */
  readonly digest: string
  readonly outcome: 'approve' | 'reject'
  readonly reason?: string
}

export interface Pressed {
  readonly text?: string
  readonly card?: ShownCard
}

/** Told the conversation of a message before it is taken. True: an earlier one of it waits, so that this one is `busy`. */
export type IsBehind = (conversation: string) => boolean

export interface Listener {
  /** The message is on disk, or will never be, when it resolves. Rejects where it is not known: then it must be brought again. */
  readonly take: (message: Inbound, isBehind?: IsBehind) => Promise<Outcome>
  /**
   * A button of a card was pressed. Acknowledge that to the service before; this may take seconds. `text`: for that person
   * alone, where the service can tell it so; undefined: nobody is told anything. `card`: as it is now, as far as it is known.
   */
  readonly decide: (press: Press) => Promise<Pressed>
  /** The connection stands. `account`: who we are there. */
  readonly up: (account?: string) => void
  readonly signal: AbortSignal
}

export interface OutgoingFile {
  /** A plain name, never a path, never empty. */
  readonly name: string
  /** Never empty, and never more than `Capabilities.files.size`. */
  readonly bytes: Uint8Array
}

export interface Outgoing {
  /** The same each time this part of this message is sent. */
  readonly id: string
  readonly address: string
  readonly thread: string | undefined
  /** Empty only where there are files. */
  readonly text: string
  readonly files: readonly OutgoingFile[]
  /** An agent wrote it. Our own words mean nothing but themselves. */
  readonly format?: 'markdown'
  /** What stands in this part, for channels that lay it out; absent where it is to go out as it stands. */
  readonly blocks?: readonly Block[]
  /** RFC 3339; when the agent said it. */
  readonly at: string
  /** Counted from 0. */
  readonly part: number
  readonly parts: number
  readonly reference: Reference
}

/** Where a card stands, or is to stand. */
export interface CardPlace {
  readonly address: string
  /** Of the conversation in which the agent asked; undefined: the place itself. */
  readonly thread: string | undefined
  /** Of that conversation's last message; empty where there is none. */
  readonly reference: Reference
  /** People of this channel whose decision would count. */
  readonly approvers: readonly string[]
}

export interface CardPost {
  /** The same each time that this is tried. */
  readonly id: string
  readonly card: ShownCard
  readonly place: CardPlace
}

export interface CardUpdate extends CardPost {
  /** What `post` resolved to. */
  readonly posted: Reference
}

/** All reject as `send` does. Only where the card waits and is not decided by hand it has buttons. */
export interface Cards {
  /** Resolves to what `update` needs. */
  post(post: CardPost, signal: AbortSignal): Promise<Reference>
  /** The card as it is now: of another digest, with more approvals, or at its end. */
  update(update: CardUpdate, signal: AbortSignal): Promise<void>
  /** That it still waits. Without it a text is sent. */
  remind?(reminder: CardUpdate & { readonly text: string }, signal: AbortSignal): Promise<void>
}

/** What a person is written about who has not written. */
export interface Concern {
  readonly subject: string
  /** The thread of the message that goes to the person. */
  readonly thread: string | undefined
  /** The id of the message about it that the same person was sent before. */
  readonly earlier: string | undefined
  /** Of the conversation that it is about; empty where there is none. */
  readonly reference: Reference
}

export interface Channel {
  readonly name: ChannelName
  readonly can: Capabilities
  /** Hears until the signal aborts, then resolves. Rejects with `ChannelFault` when the connection is lost. */
  receive(listener: Listener): Promise<void>
  /** Resolves when the service has it; `kept`: nobody listens there. Rejects with `SendFailure`; anything else is tried again. */
  send(message: Outgoing, signal: AbortSignal): Promise<'sent' | 'kept'>
  /** How a card is shown; without it as text, which is answered by text. */
  readonly cards?: Cards
  /** What `send` needs to write to a person who has not written; only where what is sent is seen by one person, not by a place. */
  readonly direct?: (user: string, concern: Concern) => Reference
  /** Asks the service whether it takes the credentials. Rejects with `ChannelFault`. `detail`: where that is not what was learned. */
  verify(signal: AbortSignal): Promise<{ readonly account?: string; readonly detail?: string }>
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
