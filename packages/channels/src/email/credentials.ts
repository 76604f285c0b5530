// Parses the URLs of a mailbox: servers, credentials and the trusted authentication server. Connections use TLS from the start, or
// STARTTLS before the password is sent.
import { getCACertificates } from 'node:tls'
import { canonicalUser, type ChannelCredentials, lowerASCII, type OutboundSettings } from '@gatehouse/contracts'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** False: STARTTLS is required. */
  readonly secure: boolean
  readonly user: string
  readonly password: string
}

export interface MailAccount {
  readonly imap: MailServer
  readonly mailbox: string
  readonly smtp: MailServer
  readonly from: { readonly name: string; readonly address: string }
  /** The `authserv-id` whose `Authentication-Results` are trusted. */
  readonly authority: string
  readonly ca: string[] | undefined
}

const ports: Readonly<Record<string, number>> = { 'imaps:': 993, 'imap:': 143, 'smtps:': 465, 'smtp:': 587 }

const serverOf = (text: string): MailServer => {
  const { protocol, hostname, port, username, password } = new URL(text)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (ports[protocol] ?? 0) : Number(port),
    secure: protocol.endsWith('s:'),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
}

/** `Agents <agents@example.org>` or only the address. */
const fromOf = (text: string): MailAccount['from'] => {
  const [, name = '', bracketed] = /^(.*)<([^<>]+)>$/.exec(text.trim()) ?? []
  return { name: name.trim().replaceAll('"', ''), address: canonicalUser('email', (bracketed ?? text).trim()) }
}

export const accountOf = (
  { imap, smtp, from, authority }: NonNullable<ChannelCredentials['email']>,
  { authorities }: Pick<OutboundSettings, 'authorities'>,
): MailAccount => ({
  imap: serverOf(imap),
  mailbox: decodeURIComponent(new URL(imap).pathname.slice(1)) || 'INBOX',
  smtp: serverOf(smtp),
  from: fromOf(from),
  authority: lowerASCII(authority),
  ca: authorities === null ? undefined : [...getCACertificates('default'), authorities],
})
