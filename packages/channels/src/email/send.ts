// Sends answers by e-mail, with files: only to the address that wrote, marked as automatic.
import { limits } from '@gatehouse/contracts'
import { createTransport } from 'nodemailer'
import * as v from 'valibot'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { readWord } from '../commands/command.ts'
import { plainName } from '../file-name.ts'
import type { MailAccount } from './credentials.ts'
import { excessOf, failureOf } from './faults.ts'
import type { Loops } from './loops.ts'
import { markupHtml } from './markup.ts'
import { messageID, Reply } from './reference.ts'
import { type Room, sizeOf } from './room.ts'

/** By the end of the name. What is not here is bytes. */
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
    // Programs decode what a name only seems to hold, such as `=?utf-8?q?…?=`: so it holds letters, digits and few signs.
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

export type Postman = ReturnType<typeof createPostman>

/** @param silence milliseconds that the server may take to say or hear nothing */
export const createPostman = ({ smtp, ca }: MailAccount, silence: number = limits.channelSendTime) =>
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

/** A letter never begins with a line that decides: a mail program that quotes it first, without a mark, would make it its user's. */
const leadOf = ({ text }: Outgoing): { readonly text: string; readonly html: string } =>
  readWord(text) === undefined ? { text: '', html: '' } : { text: `${lead}\n\n`, html: `<p>${lead}</p>` }

const textOf = (message: Outgoing): string => `${leadOf(message).text}${message.text}`

const htmlOf = (message: Outgoing): string => (message.blocks === undefined ? '' : `${leadOf(message).html}${markupHtml(message.blocks)}`)

/** All that is written in it. */
const wordsOf = (message: Outgoing): string => `${textOf(message)}${htmlOf(message)}`

const envelopeOf = ({ from }: MailAccount, { to }: Reply, message: Outgoing) => {
  const { files } = message
  const size = sizeOf(
    wordsOf(message),
    files.map(({ bytes }) => bytes),
  )
  // Only a size that is told is compared with the server's: a text alone goes as it always did.
  return { from: from.address, to: [to], ...(files.length > 0 && { size }) }
}

const letterOf = (account: MailAccount, reply: Reply, message: Outgoing) => {
  const { to, references, opens } = reply
  return {
    envelope: envelopeOf(account, reply, message),
    // Answers come back to the address that was written to.
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
  /** For letters without files, and for those with some: a server may look into these for a while before it answers. */
  readonly postmen: { readonly plain: Postman; readonly laden: Postman }
  readonly account: MailAccount
  readonly room: Room
  readonly loops: Pick<Loops, 'sent'>
}

/** Of a letter that is too large the room is learned: it goes again, and what it has no room for is named in its text. */
const failure = (error: unknown, room: Room, message: Outgoing): SendFailure => {
  const { files } = message
  const excess = files.length === 0 ? undefined : excessOf(error)
  if (excess === undefined) return failureOf(error)
  room.learn({ ...excess, text: wordsOf(message), files: files.map(({ bytes }) => bytes) })
  return new SendFailure('later', 'the mail server takes no letter that large', { cause: failureOf(error).cause })
}

export const sendMail = async ({ postmen, account, room, loops }: Sending, message: Outgoing): Promise<void> => {
  const postman = message.files.length > 0 ? postmen.laden : postmen.plain
  const reply = v.safeParse(Reply, message.reference)
  if (!reply.success) throw new SendFailure('never', 'it is not known to which address it goes')
  try {
    await postman.sendMail(letterOf(account, reply.output, message))
    loops.sent(reply.output.to)
  } catch (error) {
    throw failure(error, room, message)
  }
}
