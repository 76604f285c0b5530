// A connection to the mailbox. Unseen messages are new; a message is marked as seen after it was processed.
import { EventEmitter, once } from 'node:events'
import { limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import { ImapFlow } from 'imapflow'
import { ChannelFault, type Inbound } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { mailboxFault } from './faults.ts'

export interface Mail {
  readonly uid: number
  /** By which the server tells it from all others. */
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
    // It is told of new mail while it idles alone.
    autoIdleDelay: 50,
    connectionTimeout: limits.connectTime,
    greetingTimeout: limits.connectTime,
    maxLiteralSize: limits.emailSize * 2,
    maxResponseSize: limits.emailSize * 3,
  })
  // Whoever waits is told; an error that nobody waits for must not end the process.
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

/** The oldest first. */
export const unseen = async (client: ImapFlow): Promise<Mail[]> => {
  const uids = await client.search({ seen: false }, { uid: true })
  if (!Array.isArray(uids) || uids.length === 0 || client.mailbox === false) return []
  const { uidValidity } = client.mailbox
  const found = await client.fetchAll(uids, { uid: true, size: true }, { uid: true })
  return found.map(({ uid, size = 0 }) => ({ uid, size, id: `<uid-${uidValidity}-${uid}>` })).toSorted((a, b) => a.uid - b.uid)
}

/** Undefined where it is gone by now. */
export const sourceOf = async (client: ImapFlow, { uid }: Mail): Promise<Uint8Array | undefined> => {
  const message = await client.fetchOne(String(uid), { source: true }, { uid: true })
  return message === false ? undefined : message.source
}

export const markSeen = async (client: ImapFlow, { uid }: Mail): Promise<void> => {
  await client.messageFlagsAdd(String(uid), [String.raw`\Seen`], { uid: true })
}

/** What the server says of new mail, also while nobody waits for it. */
export interface Arrivals {
  /** Until there may be something new since it was last asked, or for `most` milliseconds. Rejects with `ChannelFault` when the connection ends. */
  next(most: number, signal: AbortSignal): Promise<void>
}

export const watchArrivals = (client: ImapFlow): Arrivals => {
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

/** Of a letter whose conversation is not known: who wrote it, and its thread, whoever else writes there. */
export const placesOf = ({ user, address, thread }: Pick<Inbound, 'user' | 'address' | 'thread'>): string[] =>
  thread === undefined ? [user] : [user, `${address} ${thread}`]

export class Held {
  /** By letter: its conversation; what it may belong to where that was not told. */
  readonly #places = new Map<Mail['uid'], readonly string[]>()
  /** Where a letter waits. */
  readonly #waiting = new Set<string>()
  readonly #rests = backoff({ first: limits.channelRetryFirst, most: limits.emailPoll })
  /** When they are tried again; undefined before they were held, and while they are tried. */
  #due: number | undefined

  /** A look at all that is new there. What waits is forgotten where it is there no more, and tried again when it is time. */
  begin(mails: readonly Mail[]): void {
    const uids = new Set(mails.map(({ uid }) => uid))
    for (const uid of this.#places.keys()) if (!uids.has(uid)) this.#places.delete(uid)
    if (performance.now() < (this.#due ?? 0)) return
    this.#waiting.clear()
    this.#due = undefined
  }

  /** A letter waits at one of them, so that later ones do. */
  isBehind(places: readonly string[]): boolean {
    return places.some((place) => this.#waiting.has(place))
  }

  /** This one need not be fetched now. */
  isHeld({ uid }: Mail): boolean {
    return this.isBehind(this.#places.get(uid) ?? [])
  }

  hold({ uid }: Mail, places: readonly string[]): void {
    this.#places.set(uid, places)
    for (const place of places) this.#waiting.add(place)
  }

  /** The look is over. Milliseconds until the next one is due, whatever arrives. */
  end(): number {
    if (this.#waiting.size === 0) {
      this.#rests.reset()
      return limits.emailPoll
    }
    this.#due ??= performance.now() + this.#rests.next()
    return Math.max(0, this.#due - performance.now())
  }
}
