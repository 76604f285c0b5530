// The `Channel` interface, which each channel implements in a folder of its own: receive, send, and check credentials.
import type { Card, ChannelName, Reference } from '@gatehouse/contracts'
import type { Block } from './markup/tree.ts'

/** Sustained rate and initial burst. */
export interface Pace {
  readonly perSecond: number
  readonly burst: number
}

/** Capabilities of a channel's service that affect outgoing messages. */
export interface Capabilities {
  /** Whether addresses have threads. */
  readonly threads: boolean
  /** Whether the service drops a second message with the same id. Without it, a crash between sending and recording sends twice. */
  readonly ids: boolean
  /** Maximum message length in UTF-16 code units. */
  readonly length: number
  /** `size`: maximum file size in bytes, 0 if files are not supported. */
  readonly files: {
    readonly size: number
    /** True: a text and all its files go in one message, and `size` limits their sum. False: each file is a message with an empty text. */
    readonly together: boolean
  }
  /** The channel renders Markdown. */
  readonly markup?: true
  /** Rate limits of the service: for the sender, and for each address. */
  readonly pace: Pace
  readonly placePace: Pace
}

export interface InboundFile {
  readonly name: string
  /** Bytes as the service reports them; undefined if it does not. */
  readonly size: number | undefined
  /** Rejects if the file has more than `limits.file` bytes. */
  read(): Promise<Uint8Array>
}

export interface Inbound {
  /** The service's own unique id of the message, stable across restarts. */
  readonly id: string
  /** The address that a wiring names. */
  readonly address: string
  /** The thread within the address; undefined if the service has none. */
  readonly thread: string | undefined
  /** The author, as authenticated by the service. Members are identified by this name. */
  readonly user: string
  /** The service did not authenticate `user`, so the message is ignored. */
  readonly unauthenticated?: boolean
  /** Addressed to the agent: by mention, or in a private chat. */
  readonly mentioned: boolean
  /** Written by a program, including this unit. Ignored, so that two programs never answer each other. */
  readonly automatic: boolean
  readonly text: string
  /** The part that the sender wrote, without quotations; absent: all of `text`. Only this part can hold a decision. */
  readonly unquotedText?: string
  /** Holds a decision in a place where it does not count. Nothing is decided; the sender is told how to decide. */
  readonly isMisplaced?: boolean
  readonly files: readonly InboundFile[]
  /** What `send` needs to reply. */
  readonly reference: Reference
}

/**
 * `busy` and `full` are temporary: the message can be delivered again later. The rest is final. An ignored sender is not told why.
 */
export const outcomes = [
  'accepted',
  'duplicate',
  'automatic',
  'unauthenticated',
  'not_routed',
  'not_member',
  'not_addressed',
  'decided',
  'unclear',
  'busy',
  'full',
  'refused',
] as const
export type Outcome = (typeof outcomes)[number]

/** A card and the URL of the change's page in the console. */
export interface ShownCard extends Card {
  readonly url?: string
}

export interface Interaction {
  /** The service's unique id of the interaction. */
  readonly id: string
  readonly address: string
  /** The person, as authenticated by the service. */
  readonly user: string
  readonly changeID: string
  /** At least the first 16 hex digits of the card's digest. */
  readonly digest: string
  readonly outcome: 'approve' | 'reject'
  readonly reason?: string
}

export interface InteractionReply {
  readonly text?: string
  readonly card?: ShownCard
}

/** Called with the conversation of a message before the message is stored. True: an earlier message of it is still queued, so this one is `busy`. */
export type IsBehind = (conversation: string) => boolean

export interface Listener {
  /** Resolves when the message is on disk or was finally refused. Rejects if the outcome is unknown; the message must be delivered again. */
  readonly take: (message: Inbound, isBehind?: IsBehind) => Promise<Outcome>
  /**
   * A button of a card was clicked. Acknowledge it to the service first: this may take seconds. `text`: a private reply, if the
   * service supports that; undefined: no reply. `card`: its current state, if known.
   */
  readonly decide: (press: Interaction) => Promise<InteractionReply>
  /** The connection is established. `account`: the unit's account at the service. */
  readonly up: (account?: string) => void
  readonly signal: AbortSignal
}

export interface OutgoingFile {
  /** A plain file name: never a path, never empty. */
  readonly name: string
  /** Never empty, at most `Capabilities.files.size`. */
  readonly bytes: Uint8Array
}

export interface Outgoing {
  /** Stable across attempts to send this part of this message. */
  readonly id: string
  readonly address: string
  readonly thread: string | undefined
  /** Empty only if there are files. */
  readonly text: string
  readonly files: readonly OutgoingFile[]
  /** Set if an agent wrote the text. The unit's own texts are plain. */
  readonly format?: 'markdown'
  /** The parsed Markdown of this part, for channels that render it; absent: send `text` as it is. */
  readonly blocks?: readonly Block[]
  /** RFC 3339 time at which the agent wrote the message. */
  readonly at: string
  /** Zero-based index. */
  readonly part: number
  readonly parts: number
  readonly reference: Reference
}

/** Where a card is posted. */
export interface CardPlace {
  readonly address: string
  /** Thread of the conversation in which the agent requested the change; undefined: the address itself. */
  readonly thread: string | undefined
  /** Reference of that conversation's last message; empty if there is none. */
  readonly reference: Reference
  /** Users of this channel whose decision would count. */
  readonly approvers: readonly string[]
}

export interface CardPost {
  /** Stable across attempts. */
  readonly id: string
  readonly card: ShownCard
  readonly place: CardPlace
}

export interface CardUpdate extends CardPost {
  /** What `post` resolved to. */
  readonly posted: Reference
}

/** All methods reject as `send` does. A card has buttons only while its change is pending and can be decided in a channel. */
export interface Cards {
  /** Resolves to the reference that `update` needs. */
  post(post: CardPost, signal: AbortSignal): Promise<Reference>
  /** Shows the current state: a new digest, another approval, or the outcome. */
  update(update: CardUpdate, signal: AbortSignal): Promise<void>
  /** Reminds of a pending change. If absent, the reminder is sent as text. */
  remind?(reminder: CardUpdate & { readonly text: string }, signal: AbortSignal): Promise<void>
}

/** Context of a message to a person who has not written to the unit. */
export interface DirectNotice {
  readonly subject: string
  /** The thread of the message to the person. */
  readonly thread: string | undefined
  /** Id of the earlier message about the same subject to the same person. */
  readonly earlier: string | undefined
  /** Reference of the related conversation; empty if there is none. */
  readonly reference: Reference
}

export interface Channel {
  readonly name: ChannelName
  readonly can: Capabilities
  /** Receives messages until the signal aborts, then resolves. Rejects with `ChannelFault` when the connection is lost. */
  receive(listener: Listener): Promise<void>
  /** Resolves when the service accepted the message; `kept`: the address has no receiver. Rejects with `SendFailure`; any other error is retried. */
  send(message: Outgoing, signal: AbortSignal): Promise<'sent' | 'kept'>
  /** Renders cards. If absent, cards are text messages that are answered by text. */
  readonly cards?: Cards
  /** Returns what `send` needs to write to a person who has not written. Only for channels whose messages have one recipient. */
  readonly direct?: (user: string, concern: DirectNotice) => Reference
  /** Checks the credentials with the service. Rejects with `ChannelFault`. `detail`: set if there is more to say than "accepted". */
  verify(signal: AbortSignal): Promise<{ readonly account?: string; readonly detail?: string }>
  close(): Promise<void>
}

/** `refused`: the service rejected the credentials. `phrase` is the unit's own text, never the service's. */
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

/** `later`: retried after at least `after` milliseconds. `never`: becomes a dead letter with this reason. */
export class SendFailure extends Error {
  readonly kind: 'later' | 'never'
  readonly after: number | undefined

  /** The pause applies to all addresses of the channel, not only to this one. */
  readonly everywhere: boolean

  constructor(kind: SendFailure['kind'], reason: string, { after, everywhere = false, cause }: SendFailureOptions = {}) {
    super(reason, { cause })
    this.name = 'SendFailure'
    this.kind = kind
    this.after = after
    this.everywhere = everywhere
  }
}
