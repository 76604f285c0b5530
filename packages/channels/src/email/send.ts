// Sends replies with attachments by e-mail: only to the address that wrote, marked as automatic.
import { limits } from '@gatehouse/contracts'
import { createTransport } from 'nodemailer'
import * as v from 'valibot'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { parseCommand } from '../commands/command.ts'
import { plainName } from '../file-name.ts'
import type { MailAccount } from './credentials.ts'
import { sizeRefusalOf, failureOf } from './faults.ts'
import { type Loops, messageID, Reply } from './loops.ts'
import { markupHtml } from './markup.ts'
import { type MessageSizeLimit, sizeOf } from './message-size-limit.ts'

/** Media types by file extension. All others are `application/octet-stream`. */
const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webp: 'image/webp',
}

const typeOf = (name: string): string => {
  const end = /\.([a-z]{1,8})$/.exec(name.toLowerCase())?.[1] ?? ''
  return Object.hasOwn(types, end) ? (types[end] ?? '') : 'application/octet-stream'
}

const attachmentsOf = (files: readonly OutgoingFile[]) =>
  files.map(({ name, bytes }) => {
    // Clients decode names such as `=?utf-8?q?…?=`, so a name holds only letters, digits and a few signs.
    const filename = plainName(name, limits.channelFileName) || 'file'
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return {
      filename,
      content,
      contentType: typeOf(filename),
      contentDisposition: 'attachment' as const,
      contentTransferEncoding: 'base64' as const,
    }
  })

export type SmtpTransport = ReturnType<typeof createSmtpTransport>

/** @param silence maximum idle time of the connection in milliseconds */
export const createSmtpTransport = ({ smtp, ca }: MailAccount, silence: number = limits.channelSendTime) =>
  createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.secure,
    requireTLS: true,
    auth: { user: smtp.user, pass: smtp.password },
    tls: { minVersion: 'TLSv1.2', ...(ca && { ca }) },
    connectionTimeout: limits.connectTime,
    greetingTimeout: limits.connectTime,
    socketTimeout: silence,
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

const lead = 'The agent writes:'

/** An e-mail never begins with a decision: a client that quotes it first, without a mark, would make it its user's. */
const leadOf = ({ text }: Outgoing): { readonly text: string; readonly html: string } =>
  parseCommand(text) === undefined ? { text: '', html: '' } : { text: `${lead}\n\n`, html: `<p>${lead}</p>` }

const textOf = (message: Outgoing): string => `${leadOf(message).text}${message.text}`

const htmlOf = (message: Outgoing): string => (message.blocks === undefined ? '' : `${leadOf(message).html}${markupHtml(message.blocks)}`)

/** Text and HTML. */
const contentOf = (message: Outgoing): string => `${textOf(message)}${htmlOf(message)}`

const envelopeOf = ({ from }: MailAccount, { to }: Reply, message: Outgoing) => {
  const { files } = message
  const size = sizeOf(
    contentOf(message),
    files.map(({ bytes }) => bytes),
  )
  // Announce the size only with attachments, so that plain text does not depend on the server's limit.
  return { from: from.address, to: [to], ...(files.length > 0 && { size }) }
}

const toMail = (account: MailAccount, reply: Reply, message: Outgoing) => {
  const { to, references, opens } = reply
  return {
    envelope: envelopeOf(account, reply, message),
    // Replies go to the address that the person wrote to.
    from: { name: account.from.name, address: message.address },
    to: { name: '', address: to },
    subject: subjectOf(reply, message),
    messageId: messageID(message, account),
    date: new Date(message.at),
    ...(references.length > 0 && { inReplyTo: references.at(-1), references }),
    text: textOf(message),
    ...(message.blocks !== undefined && { html: htmlOf(message) }),
    attachments: attachmentsOf(message.files),
    headers: { 'Auto-Submitted': opens ? 'auto-generated' : 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
  }
}

export interface Sending {
  /** Separate transports without and with attachments: a server may scan these for a while before it answers. */
  readonly transports: { readonly plain: SmtpTransport; readonly withFiles: SmtpTransport }
  readonly account: MailAccount
  readonly room: MessageSizeLimit
  readonly loops: Pick<Loops, 'sent'>
}

/** Learns the size limit from a refusal. The retry names attachments that do not fit in its text. */
const failure = (error: unknown, room: MessageSizeLimit, message: Outgoing): SendFailure => {
  const { files } = message
  const excess = files.length === 0 ? undefined : sizeRefusalOf(error)
  if (excess === undefined) return failureOf(error)
  room.learn({ ...excess, text: contentOf(message), files: files.map(({ bytes }) => bytes) })
  return new SendFailure('later', 'the mail server refused the size of the e-mail', { cause: failureOf(error).cause })
}

export const sendMail = async ({ transports, account, room, loops }: Sending, message: Outgoing): Promise<void> => {
  const transport = message.files.length > 0 ? transports.withFiles : transports.plain
  const reply = v.safeParse(Reply, message.reference)
  if (!reply.success) throw new SendFailure('never', 'the message has no recipient address')
  try {
    await transport.sendMail(toMail(account, reply.output, message))
    loops.sent(reply.output.to)
  } catch (error) {
    throw failure(error, room, message)
  }
}
