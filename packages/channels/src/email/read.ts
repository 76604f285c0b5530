// Reads one e-mail as a message to an agent: who wrote it, whether that is vouched for, to which address, in which thread.
import { createHash } from 'node:crypto'
import { canonicalUser, formatBounds, isMailAddress, limits } from '@gatehouse/contracts'
import type { Attachment, Email } from 'postal-mime'
import type { Inbound, InboundFile } from '../channel.ts'
import { type HeaderField, headerFields, isAutomatic, valuesOf } from './automatic.ts'
import type { MailAccount } from './credentials.ts'
import { textOfHtml } from './html.ts'
import { readOpening } from './opening.ts'
import { type Letter, parseEmail } from './parse.ts'
import { unquoted } from './strip-quotes.ts'
import { isVouchedFor } from './vouch.ts'

const mailboxes = (list: Email['to']): string[] =>
  (list ?? []).flatMap((one) => one.group ?? [one]).map(({ address }) => canonicalUser('email', address))

/** Read strictly: what two programs could read as two senders is none. No two of its repetitions can take the same character. */
const oneMailbox = /^(?:(?:"(?:[^"\\]|\\.)*"\s*|[^"<>@,;:]*)<([^<>\s]+)>|([^<>\s",;:()]+))$/

/** Of the one header `From`: anybody may write it, and it is read before anybody is known. */
const longestFrom = 1000

/** One header with one mailbox, which is ASCII alone; anything else is nobody. */
const senderOf = (fields: readonly HeaderField[]): string | undefined => {
  const [header = '', ...more] = valuesOf(fields, 'from')
  if (more.length > 0 || header.length > longestFrom) return undefined
  const [, bracketed, bare = ''] = oneMailbox.exec(header) ?? []
  const address = canonicalUser('email', bracketed ?? bare)
  return isMailAddress(address) ? address : undefined
}

/** Ours, or ours with `+something`. */
const isOwn = (address: string, own: string): boolean => {
  const [local = '', domain = ''] = own.split('@')
  return address === own || (address.startsWith(`${local}+`) && address.endsWith(`@${domain}`))
}

const ids = (text: string | undefined): string[] => text?.match(/<[^<>\s]{1,990}>/g) ?? []

/** Of the message that began it. Our own ids carry it, since some programs leave out all but the last one. */
const threadOf = ({ references, inReplyTo, messageId }: Email): string | undefined => {
  const before = [...ids(references), ...ids(inReplyTo)]
  const ours = before.map((id) => /^<msg_[0-9a-f]{32}\.([0-9a-f]{24})@/.exec(id)?.[1]).find((thread) => thread !== undefined)
  const root = before[0] ?? ids(messageId)[0]
  return ours ?? (root === undefined ? undefined : createHash('sha256').update(root).digest('hex').slice(0, 24))
}

const fileOf = ({ filename, content }: Attachment): InboundFile => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
  return { name: filename ?? '', size: bytes.length, read: () => Promise.resolve(bytes) }
}

const bodyOf = (email: Email): string => {
  const isReply = ids(email.references).length + ids(email.inReplyTo).length > 0
  const subject = isReply || email.subject === undefined || email.subject === '' ? '' : `Subject: ${email.subject}\n\n`
  return `${subject}${unquoted(email.text ?? '')}`.trim()
}

const referenceOf = (email: Email, sender: string | undefined): Inbound['reference'] => {
  const [messageId] = ids(email.messageId)
  const references = [...new Set([...ids(email.references), ...ids(email.inReplyTo), ...(messageId === undefined ? [] : [messageId])])]
  const short = references.filter((id) => id.length <= 200)
  return { to: sender ?? '', subject: (email.subject ?? '').slice(0, 200), references: [...short.slice(0, 1), ...short.slice(1).slice(-9)] }
}

/** The address of ours that it was written to. */
const addressOf = (fields: readonly HeaderField[], people: readonly string[], own: string): string => {
  const delivered = ['delivered-to', 'x-original-to'].flatMap((name) => valuesOf(fields, name))
  const all = [...people, ...delivered.map((text) => canonicalUser('email', text))]
  return all.find((one) => isMailAddress(one) && isOwn(one, own)) ?? own
}

/** What it says. Nothing more is read of who is not heard. */
const wordsOf = async (email: Letter, isHeard: boolean): Promise<Pick<Inbound, 'text' | 'ownWords' | 'isUnclear'>> => {
  if (!isHeard) return { text: bodyOf(email), ownWords: '' }
  const hasText = email.text !== undefined
  const text = email.text ?? (email.html === undefined ? '' : await textOfHtml(email.html))
  const said = { ...email, text }
  return { text: bodyOf(said), ...(await readOpening(said, hasText)) }
}

/** `fallbackID`: for a message that names none. Throws for what is no e-mail. */
export const readEmail = async (source: Uint8Array, account: MailAccount, fallbackID: string): Promise<Inbound> => {
  const email = await parseEmail(source, {
    maxNestingDepth: formatBounds.email.levels,
    maxHeadersSize: formatBounds.email.headers,
    maxRfc822NestingDepth: formatBounds.email.messages,
  })
  const own = account.from.address
  const fields = headerFields(email) ?? []
  const sender = senderOf(fields)
  const [to, cc] = [mailboxes(email.to), mailboxes(email.cc)]
  const address = addressOf(fields, [...to, ...cc], own)
  const isProven = sender !== undefined && isVouchedFor(sender, valuesOf(fields, 'authentication-results'), account.authority)
  const id = ids(email.messageId)[0] ?? fallbackID
  return {
    // A sender chooses the ids of its own messages alone.
    id: `${id} ${sender ?? ''}`.slice(0, limits.channelMessageID),
    address,
    thread: threadOf(email),
    user: (sender ?? 'nobody').slice(0, limits.channelText),
    unproven: !isProven,
    mentioned: to.includes(address),
    automatic: sender === undefined || isOwn(sender, own) || isAutomatic(fields, sender),
    ...(await wordsOf(email, isProven)),
    files: email.attachments.map(fileOf),
    reference: referenceOf(email, sender),
  }
}
