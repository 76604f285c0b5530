// Sends an answer as e-mail: to the address that wrote, never to one that the message named; marked as written by a machine.
import { limits } from '@gatehouse/contracts'
import { createTransport } from 'nodemailer'
import * as v from 'valibot'
import { type Outgoing, SendFailure } from '../channel.ts'
import type { MailAccount } from './credentials.ts'
import { failureOf } from './faults.ts'
import { messageID, Reply } from './reference.ts'

export type Postman = ReturnType<typeof createPostman>

export const createPostman = ({ smtp, ca }: MailAccount) =>
  createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure,
    requireTLS: true,
    auth: { user: smtp.user, pass: smtp.password },
    tls: { minVersion: 'TLSv1.2', ...(ca && { ca }) },
    connectionTimeout: limits.connectTime,
    greetingTimeout: limits.connectTime,
    socketTimeout: limits.channelSendTime,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  })

/** One line without control characters. */
const lineOf = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()

const subjectOf = ({ subject, opens }: Reply, { part, parts }: Outgoing): string => {
  const plain = lineOf(subject).replace(/^(?:re:\s*)+/i, '')
  return `${opens ? '' : 'Re: '}${plain === '' ? 'your message' : plain}${parts > 1 ? ` (${part + 1}/${parts})` : ''}`
}

export const sendMail = async (postman: Postman, account: MailAccount, message: Outgoing): Promise<void> => {
  const reply = v.safeParse(Reply, message.reference)
  if (!reply.success) throw new SendFailure('never', 'it is not known to which address it goes')
  const { to, references, opens } = reply.output
  try {
    await postman.sendMail({
      envelope: { from: account.from.address, to: [to] },
      // Answers come back to the address that was written to.
      from: { name: account.from.name, address: message.address },
      to: { name: '', address: to },
      subject: subjectOf(reply.output, message),
      messageId: messageID(message, account),
      date: new Date(message.at),
      ...(references.length > 0 && { inReplyTo: references.at(-1), references }),
      text: message.text,
      headers: { 'Auto-Submitted': opens ? 'auto-generated' : 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
    })
  } catch (error) {
    throw failureOf(error)
  }
}
