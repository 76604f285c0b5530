// Asks both mail servers whether they take user and password, and opens nothing.
import { ChannelFault } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { connectMailbox, openMailbox } from './mailbox.ts'
import type { Postman } from './send.ts'

export const verifyMail = async (account: MailAccount, postman: Postman): Promise<{ readonly account: string }> => {
  await openMailbox(connectMailbox(account, true), undefined)
  try {
    await postman.verify()
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'EAUTH'
    if (isRefused) throw new ChannelFault('refused', 'the mail server does not take user and password for sending', error)
    throw new ChannelFault('away', 'the mail server for sending was not reached', error)
  }
  return { account: account.from.address }
}
