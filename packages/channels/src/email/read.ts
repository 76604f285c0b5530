// Reads one e-mail as a message to an agent: who wrote it, whether that is vouched for, to which address, in which thread.
import { createHash } from 'node:crypto'
import { formatBounds, limits } from '@gatehouse/contracts'
import type { Attachment, Email } from 'postal-mime'
import type { Inbound, InboundFile } from '../channel.ts'
import { plainAddress } from './address.ts'
import { isVouchedFor, verdictsOf } from './authentication-results.ts'
import type { MailAccount } from './credentials.ts'
import { withText } from './html.ts'
import { ownWords } from './own-words.ts'
import { parseEmail } from './parse.ts'
import { unquoted } from './unquoted.ts'

const headersOf = ({ headers }: Email, name: string): string[] => headers.filter(({ key }) => key === name).map(({ value }) => value)

const mailboxes = (list: Email['to']): string[] =>
  (list ?? []).flatMap((one) => one.group ?? [one]).map(({ address }) => address.toLowerCase())

/** Read strictly: what two programs could read as two senders is none. No two of its repetitions can take the same character. */
const oneMailbox = /^(?:(?:"(?:[^"\\]|\\.)*"\s*|[^"<>@,;:]*)<([^<>\s]+)>|([^<>\s",;:()]+))$/

/** Of the one header `From`: anybody may write it, and it is read before anybody is known. */
const longestFrom = 1000

/** One header with one mailbox; anything else is nobody. */
const senderOf = (email: Email): string | undefined => {
  const [header = '', ...more] = headersOf(email, 'from')
  if (more.length > 0 || header.length > longestFrom) return undefined
  const [, bracketed, bare = ''] = oneMailbox.exec(header.trim()) ?? []
  const address = (bracketed ?? bare).toLowerCase()
  return plainAddress.test(address) ? address : undefined
}

/** Ours, or ours with `+something`. */
const isOwn = (address: string, own: string): boolean => {
  const [local = '', domain = ''] = own.split('@')
  return address === own || (address.startsWith(`${local}+`) && address.endsWith(`@${domain}`))
}

/** An answer of a machine, a list, a bounce, or our own. */
const isAutomatic = (email: Email, sender: string | undefined, own: string): boolean => {
  const first = (name: string): string => (headersOf(email, name)[0] ?? '').trim().toLowerCase()
  const submitted = first('auto-submitted')
  return (
    (submitted !== '' && !submitted.startsWith('no')) ||
    ['bulk', 'list', 'junk', 'auto_reply'].includes(first('precedence')) ||
    ['list-id', 'x-autoreply', 'x-autorespond', 'x-loop'].some((name) => headersOf(email, name).length > 0) ||
    first('return-path') === '<>' ||
    first('content-type').startsWith('multipart/report') ||
    sender === undefined ||
    isOwn(sender, own) ||
    /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply)@/.test(sender)
  )
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

/** `fallbackID`: for a message that names none. Throws for what is no e-mail. */
export const readEmail = async (source: Uint8Array, account: MailAccount, fallbackID: string): Promise<Inbound> => {
  const email = await parseEmail(source, {
    maxNestingDepth: formatBounds.email.levels,
    maxHeadersSize: formatBounds.email.headers,
    maxRfc822NestingDepth: formatBounds.email.messages,
  })
  const own = account.from.address
  const sender = senderOf(email)
  const [to, cc] = [mailboxes(email.to), mailboxes(email.cc)]
  const delivered = ['delivered-to', 'x-original-to'].flatMap((name) => headersOf(email, name)).map((text) => text.trim().toLowerCase())
  const address = [...to, ...cc, ...delivered].find((one) => plainAddress.test(one) && isOwn(one, own)) ?? own
  const verdicts = verdictsOf(headersOf(email, 'authentication-results'), account.authority)
  const unproven = sender === undefined || !isVouchedFor(sender, verdicts)
  // Nothing more is read of who is not heard.
  const said = unproven ? email : await withText(email)
  const id = ids(email.messageId)[0] ?? fallbackID
  return {
    // A sender chooses the ids of its own messages alone.
    id: `${id} ${sender ?? ''}`.slice(0, limits.channelMessageID),
    address,
    thread: threadOf(email),
    user: (sender ?? 'nobody').slice(0, limits.channelText),
    unproven,
    mentioned: to.includes(address),
    automatic: isAutomatic(email, sender, own),
    text: bodyOf(said),
    ownWords: email.beginsEmpty ? '' : ownWords(said),
    files: email.attachments.map(fileOf),
    reference: referenceOf(email, sender),
  }
}
