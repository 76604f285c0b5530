// The IMAP mailbox. Unseen messages are new; a message is marked as seen after it was processed.
import { EventEmitter, once } from 'node:events'
import { limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import { ImapFlow } from 'imapflow'
import { ChannelFault, type Inbound } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { mailboxFault } from './faults.ts'

export interface Mail {
  readonly uid: number
  /** Unique on the server. */
  readonly id: string
  readonly size: number
}

export const connectMailbox = ({ imap, ca }: MailAccount, verifyOnly = false): ImapFlow => {
  const client = new ImapFlow({
    host: imap.host,
    port: imap.port,
    secure: imap.secure,
    ...(imap.secure ? {} : { doSTARTTLS: true }),
    auth: { user: imap.user, pass: imap.password },
    tls: { minVersion: 'TLSv1.2', ...(ca && { ca }) },
    logger: false,
    verifyOnly,
    disableCompression: true,
    // The server announces new mail only during IDLE.
    autoIdleDelay: 50,
    connectionTimeout: limits.connectTime,
    greetingTimeout: limits.connectTime,
    maxLiteralSize: limits.emailSize * 2,
    maxResponseSize: limits.emailSize * 3,
  })
  // Pending calls reject on their own; an error without one must not end the process.
  client.on('error', () => undefined)
  return client
}

/** Rejects with `ChannelFault`. */
export const openMailbox = async (client: ImapFlow, mailbox: string | undefined): Promise<void> => {
  try {
    await client.connect()
    if (mailbox !== undefined) await client.mailboxOpen(mailbox)
  } catch (error) {
    client.close()
    throw mailboxFault(error)
  }
}

/** Oldest first. */
export const listUnseen = async (client: ImapFlow): Promise<Mail[]> => {
  const uids = await client.search({ seen: false }, { uid: true })
  if (!Array.isArray(uids) || uids.length === 0 || client.mailbox === false) return []
  const { uidValidity } = client.mailbox
  const found = await client.fetchAll(uids, { uid: true, size: true }, { uid: true })
  return found.map(({ uid, size = 0 }) => ({ uid, size, id: `<uid-${uidValidity}-${uid}>` })).toSorted((a, b) => a.uid - b.uid)
}

/** Undefined if the message is gone. */
export const fetchSource = async (client: ImapFlow, { uid }: Mail): Promise<Uint8Array | undefined> => {
  const message = await client.fetchOne(String(uid), { source: true }, { uid: true })
  return message === false ? undefined : message.source
}

export const markSeen = async (client: ImapFlow, { uid }: Mail): Promise<void> => {
  await client.messageFlagsAdd(String(uid), [String.raw`\Seen`], { uid: true })
}

/** Collects the server's announcements of new mail, also between calls. */
export interface MailWatcher {
  /** Resolves when there may be new mail since the last call, or after `most` milliseconds. Rejects with `ChannelFault` when the connection ends. */
  next(most: number, signal: AbortSignal): Promise<void>
}

export const watchMailbox = (client: ImapFlow): MailWatcher => {
  const bell = new EventEmitter<{ rung: [] }>()
  let [fresh, ended] = [false, false]
  client.on('exists', () => {
    fresh = true
    bell.emit('rung')
  })
  client.on('close', () => {
    ended = true
    bell.emit('rung')
  })
  return {
    next: async (most, signal) => {
      if (!fresh && !ended && !signal.aborted) {
        const end = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(most))])
        await once(bell, 'rung', { signal: end }).catch(() => undefined)
      }
      fresh = false
      if (ended && !signal.aborted) throw new ChannelFault('away', 'the mail server ended the connection')
    },
  }
}

/** Ordering keys of an e-mail whose conversation is not known yet: its author and its thread. */
export const orderingKeys = ({ user, address, thread }: Pick<Inbound, 'user' | 'address' | 'thread'>): string[] =>
  thread === undefined ? [user] : [user, `${address} ${thread}`]

export class HeldMail {
  /** Ordering keys by message: its conversation, or the possible ones. */
  readonly #places = new Map<Mail['uid'], readonly string[]>()
  /** Keys with a waiting message. */
  readonly #waiting = new Set<string>()
  readonly #rests = backoff({ first: limits.channelRetryFirst, most: limits.emailPoll })
  /** Time of the next attempt; undefined while nothing is held, and during an attempt. */
  #due: number | undefined

  /** Starts a pass over all new messages. Drops messages that are gone, and releases held ones when their time has come. */
  begin(mails: readonly Mail[]): void {
    const uids = new Set(mails.map(({ uid }) => uid))
    for (const uid of this.#places.keys()) if (!uids.has(uid)) this.#places.delete(uid)
    if (performance.now() < (this.#due ?? 0)) return
    this.#waiting.clear()
    this.#due = undefined
  }

  /** An earlier message with one of these keys is waiting. */
  isBehind(places: readonly string[]): boolean {
    return places.some((place) => this.#waiting.has(place))
  }

  /** Held messages are not fetched. */
  isHeld({ uid }: Mail): boolean {
    return this.isBehind(this.#places.get(uid) ?? [])
  }

  hold({ uid }: Mail, places: readonly string[]): void {
    this.#places.set(uid, places)
    for (const place of places) this.#waiting.add(place)
  }

  /** Ends the pass. Returns the milliseconds until the next one is due even without new mail. */
  end(): number {
    if (this.#waiting.size === 0) {
      this.#rests.reset()
      return limits.emailPoll
    }
    this.#due ??= performance.now() + this.#rests.next()
    return Math.max(0, this.#due - performance.now())
  }
}
