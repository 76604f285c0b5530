// Hears a mailbox: each new message once it is there, in the order of its coming, seen only when it was dealt with.
import { isServiceError, limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { ImapFlow } from 'imapflow'
import type { Listener, Outcome } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { mailboxFault } from './faults.ts'
import { connectMailbox, type Mail, markSeen, openMailbox, sourceOf, unseen, watchArrivals } from './mailbox.ts'
import { readEmail } from './read.ts'

export interface Hearing {
  readonly account: MailAccount
  readonly log: Logger
}

/** Undefined: it is not there any more, or cannot be read by anybody. */
const dealWith = async (
  client: ImapFlow,
  mail: Mail,
  { account, log, take }: Hearing & Pick<Listener, 'take'>,
): Promise<Outcome | undefined> => {
  if (mail.size > limits.emailSize) {
    log.warn('an e-mail was not taken: it is too large', { size: mail.size })
    return undefined
  }
  const source = await sourceOf(client, mail)
  if (source === undefined) return undefined
  const message = await readEmail(source, account, mail.id).catch((error: unknown) => {
    log.warn('an e-mail could not be read', { error })
    return undefined
  })
  return message === undefined ? undefined : take(message)
}

/** What its conversation has no room for now stays new, and is looked at again. */
const takeAll = async (client: ImapFlow, hearing: Hearing & Pick<Listener, 'take' | 'signal'>): Promise<void> => {
  for (const mail of await unseen(client)) {
    if (hearing.signal.aborted) return
    const outcome = await dealWith(client, mail, hearing)
    if (outcome !== 'busy' && outcome !== 'full') await markSeen(client, mail)
  }
}

export const receiveMail = async (hearing: Hearing, { take, up, signal }: Listener): Promise<void> => {
  const client = connectMailbox(hearing.account)
  const end = (): void => client.close()
  signal.addEventListener('abort', end)
  try {
    await openMailbox(client, hearing.account.mailbox)
    const arrivals = watchArrivals(client)
    up(hearing.account.from.address)
    while (!signal.aborted) {
      await takeAll(client, { ...hearing, take, signal })
      await arrivals.next(signal)
    }
  } catch (error) {
    // What the unit itself could not do is brought again, and says why.
    throw isServiceError(error) ? error : mailboxFault(error)
  } finally {
    signal.removeEventListener('abort', end)
    client.close()
  }
}
