// Converts one e-mail into a message to an agent: author and authentication, address, thread, text and files.
import { createHash } from 'node:crypto'
import { canonicalUser, formatBounds, isMailAddress, limits } from '@gatehouse/contracts'
import type { Attachment, Email } from 'postal-mime'
import type { Inbound, InboundFile } from '../channel.ts'
import { type HeaderField, headerFields, isAutomatic, valuesOf } from './automatic.ts'
import type { MailAccount } from './credentials.ts'
import { type ParsedEmail, parseEmail, textOfHtml } from './parse.ts'
import { readOpening, unquoted } from './opening.ts'
import { isAuthenticated } from './authenticate-sender.ts'

const mailboxes = (list: Email['to']): string[] =>
  (list ?? []).flatMap((one) => one.group ?? [one]).map(({ address }) => canonicalUser('email', address))

/** Strict: an address that two parsers could read differently is rejected. Linear time: no two repetitions match the same character. */
const oneMailbox = /^(?:(?:"(?:[^"\\]|\\.)*"\s*|[^"<>@,;:]*)<([^<>\s]+)>|([^<>\s",;:()]+))$/

/** Maximum length of `From`, which is untrusted input. */
const longestFrom = 1000

/** The single ASCII mailbox of a single `From` header; undefined for anything else. */
const senderOf = (fields: readonly HeaderField[]): string | undefined => {
  const [header = '', ...more] = valuesOf(fields, 'from')
  if (more.length > 0 || header.length > longestFrom) return undefined
  const [, bracketed, bare = ''] = oneMailbox.exec(header) ?? []
  const address = canonicalUser('email', bracketed ?? bare)
  return isMailAddress(address) ? address : undefined
}

/** The unit's address, or that address with `+something`. */
const isOwn = (address: string, own: string): boolean => {
  const [local = '', domain = ''] = own.split('@')
  return address === own || (address.startsWith(`${local}+`) && address.endsWith(`@${domain}`))
}

const ids = (text: string | undefined): string[] => text?.match(/<[^<>\s]{1,990}>/g) ?? []

/** Derived from the first message of the thread. The unit's own message ids carry it, because some clients drop all but the last reference. */
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

/** The unit's address that the e-mail was sent to. */
const addressOf = (fields: readonly HeaderField[], people: readonly string[], own: string): string => {
  const delivered = ['delivered-to', 'x-original-to'].flatMap((name) => valuesOf(fields, name))
  const all = [...people, ...delivered.map((text) => canonicalUser('email', text))]
  return all.find((one) => isMailAddress(one) && isOwn(one, own)) ?? own
}

/** The text and a decision in it. E-mail of an unauthenticated sender is not parsed further. */
const readText = async (email: ParsedEmail, isProven: boolean): Promise<Pick<Inbound, 'text' | 'unquotedText' | 'isMisplaced'>> => {
  if (!isProven) return { text: bodyOf(email), unquotedText: '' }
  const hasText = email.text !== undefined
  const text = email.text ?? (email.html === undefined ? '' : await textOfHtml(email.html))
  const readable = { ...email, text }
  return { text: bodyOf(readable), ...(await readOpening(readable, hasText)) }
}

/** `fallbackID`: used if the e-mail has no id. Throws for invalid e-mail. */
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
  const isProven = sender !== undefined && isAuthenticated(sender, valuesOf(fields, 'authentication-results'), account.authority)
  const id = ids(email.messageId)[0] ?? fallbackID
  return {
    // Scoped to the sender, so that no one can reuse another sender's ids.
    id: `${id} ${sender ?? ''}`.slice(0, limits.channelMessageID),
    address,
    thread: threadOf(email),
    user: (sender ?? 'nobody').slice(0, limits.channelText),
    unauthenticated: !isProven,
    mentioned: to.includes(address),
    automatic: sender === undefined || isOwn(sender, own) || isAutomatic(fields, sender),
    ...(await readText(email, isProven)),
    files: email.attachments.map(fileOf),
    reference: referenceOf(email, sender),
  }
}
