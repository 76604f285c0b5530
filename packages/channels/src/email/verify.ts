// Checks the credentials with both mail servers without opening the mailbox.
import type { MailAccount } from './credentials.ts'
import { sendingFault } from './faults.ts'
import { connectMailbox, openMailbox } from './mailbox.ts'
import type { SmtpTransport } from './send.ts'

export const verifyMail = async (account: MailAccount, transport: SmtpTransport): Promise<{ readonly account: string }> => {
  await openMailbox(connectMailbox(account, true), undefined)
  try {
    await transport.verify()
  } catch (error) {
    throw sendingFault(error)
  }
  return { account: account.from.address }
}
