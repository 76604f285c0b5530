// E-mail as a channel: a mailbox that the unit alone reads, and a server that sends its answers.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Channel } from '../channel.ts'
import { accountOf } from './credentials.ts'
import { Loops } from './loops.ts'
import { receiveMail } from './receive.ts'
import { directTo } from './reference.ts'
import { Room } from './room.ts'
import { createPostman, sendMail } from './send.ts'
import { verifyMail } from './verify.ts'

export interface EmailOptions {
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
  const postmen = { plain: createPostman(account), laden: createPostman(account, limits.channelFilesTime) }
  const room = new Room()
  const loops = new Loops()
  return {
    name: 'email',
    get can() {
      return { ...can, files: { size: room.size, together: true } }
    },
    receive: (listener) => receiveMail({ account, loops, log }, listener),
    send: async (message) => {
      await sendMail({ postmen, account, room, loops }, message)
      return 'sent'
    },
    direct: directTo(account),
    verify: () => verifyMail(account, postmen.plain),
    close: () => {
      for (const postman of Object.values(postmen)) postman.close()
      return Promise.resolve()
    },
  }
}
