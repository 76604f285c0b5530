// Receives e-mail: each new message in order of arrival, marked as seen after it was processed.
import { limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { ImapFlow } from 'imapflow'
import type { Inbound, Listener } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { mailboxFault } from './faults.ts'
import type { Loops } from './loops.ts'
import {
  connectMailbox,
  HeldMail,
  type Mail,
  markSeen,
  openMailbox,
  orderingKeys,
  fetchSource,
  listUnseen,
  watchMailbox,
} from './mailbox.ts'
import { readEmail } from './read.ts'

export interface ReceiveOptions {
  readonly account: MailAccount
  readonly loops: Pick<Loops, 'isLoop'>
  readonly log: Logger
}

interface Session extends ReceiveOptions, Pick<Listener, 'take' | 'signal'> {
  readonly client: ImapFlow
  readonly held: HeldMail
}

/** Ignored senders are not counted. */
const withoutLoop = ({ loops, log }: Session, message: Inbound): Inbound => {
  if (message.automatic || message.unauthenticated === true || !loops.isLoop(message)) return message
  log.warn('mail loop stopped: replies arrived as fast as a program sends them', { limit: limits.emailLoop })
  return { ...message, automatic: true }
}

/** Undefined if the message is gone, too large or invalid. */
const readMail = async (session: Session, mail: Mail): Promise<Inbound | undefined> => {
  const { client, account, log } = session
  if (mail.size > limits.emailSize) {
    log.warn('e-mail ignored: too large', { size: mail.size })
    return undefined
  }
  const source = await fetchSource(client, mail)
  if (source === undefined) return undefined
  try {
    return withoutLoop(session, await readEmail(source, account, mail.id))
  } catch (error) {
    log.warn('e-mail ignored: could not parse', { error })
    return undefined
  }
}

/** Whether the message is processed. Until its conversation is known, later messages of its author or thread wait behind it. */
const takeMail = async ({ take, held, log }: Session, mail: Mail, message: Inbound): Promise<boolean> => {
  let places = orderingKeys(message)
  const isBehind = (conversation: string): boolean => {
    places = [conversation]
    return held.isBehind(places)
  }
  try {
    const outcome = held.isBehind(places) ? 'busy' : await take(message, isBehind)
    if (outcome !== 'busy' && outcome !== 'full') return true
  } catch (error) {
    log.warn('e-mail will be retried', { error })
  }
  held.hold(mail, places)
  return false
}

/** Messages that cannot be processed now stay listUnseen. Returns the milliseconds until the next attempt. */
const takeAll = async (session: Session): Promise<number> => {
  const { client, held, signal } = session
  const mails = await listUnseen(client)
  held.begin(mails)
  for (const mail of mails) {
    if (signal.aborted) break
    if (held.isHeld(mail)) continue
    const message = await readMail(session, mail)
    if (message !== undefined && !(await takeMail(session, mail, message))) continue
    await markSeen(client, mail)
  }
  return held.end()
}

export const receiveMail = async (options: ReceiveOptions, { take, up, signal }: Listener): Promise<void> => {
  const client = connectMailbox(options.account)
  const end = (): void => client.close()
  signal.addEventListener('abort', end)
  try {
    await openMailbox(client, options.account.mailbox)
    const arrivals = watchMailbox(client)
    const session = { ...options, client, held: new HeldMail(), take, signal }
    up(options.account.from.address)
    while (!signal.aborted) {
      await arrivals.next(await takeAll(session), signal)
    }
  } catch (error) {
    throw mailboxFault(error)
  } finally {
    signal.removeEventListener('abort', end)
    client.close()
  }
}
