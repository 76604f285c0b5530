// Hears a mailbox: each new message once it is there, in the order of its coming, seen only when it was dealt with.
import { limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { ImapFlow } from 'imapflow'
import type { Inbound, Listener } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { mailboxFault } from './faults.ts'
import type { Loops } from './loops.ts'
import { connectMailbox, Held, type Mail, markSeen, openMailbox, placesOf, sourceOf, unseen, watchArrivals } from './mailbox.ts'
import { readEmail } from './read.ts'

export interface Hearing {
  readonly account: MailAccount
  readonly loops: Pick<Loops, 'isLoop'>
  readonly log: Logger
}

interface Session extends Hearing, Pick<Listener, 'take' | 'signal'> {
  readonly client: ImapFlow
  readonly held: Held
}

/** Nobody is counted who is not heard in any case. */
const withoutLoop = ({ loops, log }: Session, message: Inbound): Inbound => {
  if (message.automatic || message.unproven === true || !loops.isLoop(message)) return message
  log.warn('mail loop stopped: letters of one conversation came as fast as a machine sends them', { limit: limits.emailLoop })
  return { ...message, automatic: true }
}

/** Undefined: it is not there any more, or cannot be read by anybody. */
const readMail = async (session: Session, mail: Mail): Promise<Inbound | undefined> => {
  const { client, account, log } = session
  if (mail.size > limits.emailSize) {
    log.warn('an e-mail was not taken: it is too large', { size: mail.size })
    return undefined
  }
  const source = await sourceOf(client, mail)
  if (source === undefined) return undefined
  try {
    return withoutLoop(session, await readEmail(source, account, mail.id))
  } catch (error) {
    log.warn('an e-mail could not be read', { error })
    return undefined
  }
}

/** Whether it is dealt with. Until its conversation is known, what the same person wrote later or anybody in its thread waits behind it. */
const takeMail = async ({ take, held, log }: Session, mail: Mail, message: Inbound): Promise<boolean> => {
  let places = placesOf(message)
  const isBehind = (conversation: string): boolean => {
    places = [conversation]
    return held.isBehind(places)
  }
  try {
    const outcome = held.isBehind(places) ? 'busy' : await take(message, isBehind)
    if (outcome !== 'busy' && outcome !== 'full') return true
  } catch (error) {
    log.warn('an e-mail is taken later', { error })
  }
  held.hold(mail, places)
  return false
}

/** What cannot be taken now stays new, and is looked at again. Milliseconds until then. */
const takeAll = async (session: Session): Promise<number> => {
  const { client, held, signal } = session
  const mails = await unseen(client)
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

export const receiveMail = async (hearing: Hearing, { take, up, signal }: Listener): Promise<void> => {
  const client = connectMailbox(hearing.account)
  const end = (): void => client.close()
  signal.addEventListener('abort', end)
  try {
    await openMailbox(client, hearing.account.mailbox)
    const arrivals = watchArrivals(client)
    const session = { ...hearing, client, held: new Held(), take, signal }
    up(hearing.account.from.address)
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
