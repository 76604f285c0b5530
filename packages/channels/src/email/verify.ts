// Asks both mail servers whether they take user and password, and opens nothing.
import type { MailAccount } from './credentials.ts'
import { sendingFault } from './faults.ts'
import { connectMailbox, openMailbox } from './mailbox.ts'
import type { Postman } from './send.ts'

export const verifyMail = async (account: MailAccount, postman: Postman): Promise<{ readonly account: string }> => {
  await openMailbox(connectMailbox(account, true), undefined)
  try {
    await postman.verify()
  } catch (error) {
    throw sendingFault(error)
  }
  return { account: account.from.address }
}
