// The e-mail channel: a mailbox that only this unit reads, and an SMTP server for replies.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Channel } from '../channel.ts'
import { accountOf, type MailAccount } from './credentials.ts'
import { sendingFault } from './faults.ts'
import { directTo, Loops } from './loops.ts'
import { connectMailbox, openMailbox } from './mailbox.ts'
import { MessageSizeLimit } from './message-size-limit.ts'
import { receiveMail } from './receive.ts'
import { createSmtpTransport, sendMail, type SmtpTransport } from './send.ts'

const verifyMail = async (account: MailAccount, transport: SmtpTransport): Promise<{ readonly account: string }> => {
  await openMailbox(connectMailbox(account, true), undefined)
  try {
    await transport.verify()
  } catch (error) {
    throw sendingFault(error)
  }
  return { account: account.from.address }
}

interface EmailOptions {
  readonly credentials: NonNullable<ChannelCredentials['email']>
  readonly outbound: OutboundSettings
  readonly log: Logger
}

const can: Omit<Channel['can'], 'files'> = {
  threads: true,
  ids: false,
  length: 400_000,
  markup: true,
  pace: { perSecond: 5, burst: 10 },
  placePace: { perSecond: 2, burst: 10 },
}

export const createEmail = ({ credentials, outbound, log }: EmailOptions): Channel => {
  const account = accountOf(credentials, outbound)
  const transports = { plain: createSmtpTransport(account), withFiles: createSmtpTransport(account, limits.channelFilesTime) }
  const room = new MessageSizeLimit()
  const loops = new Loops()
  return {
    name: 'email',
    get can() {
      return { ...can, files: { size: room.size, together: true } }
    },
    receive: (listener) => receiveMail({ account, loops, log }, listener),
    send: async (message) => {
      await sendMail({ transports, account, room, loops }, message)
      return 'sent'
    },
    direct: directTo(account),
    verify: () => verifyMail(account, transports.plain),
    close: () => {
      for (const transport of Object.values(transports)) transport.close()
      return Promise.resolve()
    },
  }
}
