// Settings of channels: one descriptor a channel, with its variables, what they give it, and what of it must never be printed.
import { type ChannelCredentials, type ChannelName, channels as channelNames, checkServerUrl, exits } from '@gatehouse/contracts'
import { readSettings, Refusal, type Settings } from '@gatehouse/kernel'
import type { DocumentedSetting, DocumentedSettings } from './settings/parse.ts'

type Env = Readonly<Record<string, string | undefined>>
type Credentials<C extends ChannelName> = NonNullable<ChannelCredentials[C]>

interface Descriptor<C extends ChannelName> {
  readonly settings: readonly DocumentedSetting[]
  /** The credentials are absent where nothing of the channel is set. `Refusal` 78 names the variable. */
  readonly read: (env: Env) => { readonly credentials: Credentials<C> | undefined; readonly warnings: readonly string[] }
  readonly secrets: (credentials: Credentials<C>) => readonly string[]
}

interface Definition<C extends ChannelName, T extends DocumentedSettings> {
  readonly settings: T
  readonly read: (values: Settings<T>['values']) => Credentials<C> | undefined
  readonly secrets: (credentials: Credentials<C>) => readonly string[]
}

const describeChannel = <C extends ChannelName, const T extends DocumentedSettings>(
  _name: C,
  { settings, read, secrets }: Definition<C, T>,
): Descriptor<C> => ({
  settings: Object.values(settings),
  read: (env) => {
    const { values, warnings } = readSettings(settings, { argv: [], env })
    return { credentials: read(values), warnings }
  },
  secrets,
})

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

const secretForm = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/

/** Of 24 to 64 bytes, as the standard asks for. Never shows the value. */
const parseKey = (text: string): string => {
  const key = secretForm.exec(text)?.[1]
  const { length } = Buffer.from(key ?? '', 'base64')
  if (key !== undefined && length >= 24 && length <= 64) return key
  throw refuse(
    'WEBHOOK_SIGNING_SECRET: expected whsec_ and 24 to 64 bytes in base64, several separated by blanks, got something else',
    'make one: printf whsec_; head -c 32 /dev/urandom | base64',
  )
}

const webhook = describeChannel('webhook', {
  settings: {
    secret: {
      group: 'Channels',
      type: 'string',
      env: 'WEBHOOK_SIGNING_SECRET',
      secret: true,
      help: 'whsec_ and base64, several separated by blanks: programs write to agents and are answered by signed webhooks',
    },
  },
  read: ({ secret }) => (secret === undefined ? undefined : { secrets: secret.trim().split(/\s+/).map(parseKey) }),
  secrets: ({ secrets }) => secrets,
})

const checkUrl = (variable: string, text: string): string => {
  const fault = checkServerUrl(text)
  if (fault === null) return text.replace(/\/+$/, '')
  throw refuse(`${variable}: ${fault}`, 'correct it, or leave it out: it is for a server of your own')
}

const parseSlackToken = (variable: string, text: string, prefix: string): string => {
  const token = text.trim()
  if (token.startsWith(prefix) && /^[A-Za-z0-9-]{20,400}$/.test(token)) return token
  throw refuse(`${variable}: expected a token that begins with ${prefix}, got something else`, 'copy it once more from the page of the app')
}

const slack = describeChannel('slack', {
  settings: {
    appToken: {
      group: 'Channels',
      type: 'string',
      env: 'SLACK_APP_TOKEN',
      secret: true,
      help: 'token of an app with Socket Mode: people write to agents in Slack',
    },
    botToken: { group: 'Channels', type: 'string', env: 'SLACK_BOT_TOKEN', secret: true, help: 'token of the same app' },
    url: {
      group: 'Channels',
      type: 'string',
      env: 'SLACK_API_URL',
      help: 'the Web API of another Slack, such as https://slack-gov.com/api/',
      without: 'https://slack.com/api/',
    },
  },
  read: ({ botToken, appToken, url }) => {
    if (botToken === undefined && appToken === undefined && url === undefined) return undefined
    if (botToken === undefined || appToken === undefined)
      throw refuse(
        'SLACK_BOT_TOKEN and SLACK_APP_TOKEN: expected both or nothing of Slack, got some',
        'set the other, or unset what is set',
      )
    return {
      botToken: parseSlackToken('SLACK_BOT_TOKEN', botToken, 'xoxb-'),
      appToken: parseSlackToken('SLACK_APP_TOKEN', appToken, 'xapp-'),
      url: `${checkUrl('SLACK_API_URL', url ?? 'https://slack.com/api/')}/`,
    }
  },
  secrets: ({ botToken, appToken }) => [botToken, appToken],
})

const telegram = describeChannel('telegram', {
  settings: {
    token: {
      group: 'Channels',
      type: 'string',
      env: 'TELEGRAM_BOT_TOKEN',
      secret: true,
      help: 'token of a bot: people write to agents in Telegram',
    },
    url: {
      group: 'Channels',
      type: 'string',
      env: 'TELEGRAM_API_URL',
      help: 'address of your own Bot API server',
      without: 'https://api.telegram.org',
    },
  },
  read: ({ token, url }) => {
    if (token === undefined) {
      if (url === undefined) return undefined
      throw refuse('TELEGRAM_API_URL: expected TELEGRAM_BOT_TOKEN with it, got none', 'set the token too, or unset the url')
    }
    if (!/^\d{5,20}:[A-Za-z0-9_-]{20,100}$/.test(token.trim()))
      throw refuse(
        'TELEGRAM_BOT_TOKEN: expected digits, a colon and letters, as @BotFather gives it, got something else',
        'copy it once more',
      )
    return { token: token.trim(), url: checkUrl('TELEGRAM_API_URL', url ?? 'https://api.telegram.org') }
  },
  secrets: ({ token }) => [token, token.slice(token.indexOf(':') + 1)],
})

const isServer = (text: string, schemes: RegExp): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && schemes.test(url.protocol) && url.hostname !== '' && url.username !== '' && url.password !== ''
}

const checkServer = (variable: string, text: string, { schemes, example }: { schemes: RegExp; example: string }): string => {
  if (isServer(text, schemes)) return text
  throw refuse(
    `${variable}: expected a url such as ${example}, got something else`,
    'write @, : and / in user and password as %40, %3A and %2F',
  )
}

const imapExample = 'imaps://user:password@mail.example/INBOX?authserv-id=mx.example'

const authorityOf = (imap: string): string => {
  const authority = new URL(imap).searchParams.get('authserv-id') ?? ''
  if (/^[A-Za-z0-9._-]{1,255}$/.test(authority)) return authority
  throw refuse(
    `EMAIL_IMAP_URL: expected ?authserv-id=NAME, whose word on senders is believed, as in ${imapExample}, got none`,
    'NAME is the first word of the header Authentication-Results that your mail server writes; it must remove those of others by that name',
  )
}

const fromForm = /^(?:[^<>"\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u

const email = describeChannel('email', {
  settings: {
    from: { group: 'Channels', type: 'string', env: 'EMAIL_FROM', help: 'the address of agents, such as Agents <agents@example.org>' },
    imap: {
      group: 'Channels',
      type: 'string',
      env: 'EMAIL_IMAP_URL',
      secret: true,
      help: 'mailbox that only the unit reads: imaps://user:password@host/INBOX?authserv-id=NAME, where NAME is the server whose word on senders is trusted',
    },
    smtp: {
      group: 'Channels',
      type: 'string',
      env: 'EMAIL_SMTP_URL',
      secret: true,
      help: 'what sends answers: smtps://user:password@host',
    },
  },
  read: ({ imap, smtp, from }) => {
    if (imap === undefined && smtp === undefined && from === undefined) return undefined
    if (imap === undefined || smtp === undefined || from === undefined)
      throw refuse('EMAIL_IMAP_URL, EMAIL_SMTP_URL and EMAIL_FROM: expected all three or none, got some', 'set the others, or unset these')
    const mailbox = checkServer('EMAIL_IMAP_URL', imap, { schemes: /^imaps?:$/, example: imapExample })
    const sender = checkServer('EMAIL_SMTP_URL', smtp, { schemes: /^smtps?:$/, example: 'smtps://user:password@mail.example' })
    if (!fromForm.test(from))
      throw refuse(
        'EMAIL_FROM: expected an address such as agents@example.org or Agents <agents@example.org>, got something else',
        'correct it',
      )
    return { imap: mailbox, smtp: sender, from, authority: authorityOf(mailbox) }
  },
  secrets: ({ imap, smtp }) => [imap, smtp].flatMap((url) => [url, new URL(url).password, decodeURIComponent(new URL(url).password)]),
})

/** The table of channels, as a start sees them. */
const descriptors: { readonly [C in ChannelName]: Descriptor<C> } = { webhook, slack, telegram, email }

export const channelSettings: readonly DocumentedSetting[] = Object.values(descriptors).flatMap(({ settings }) => settings)

type Read = { [C in ChannelName]?: Credentials<C> }

/** Returns warnings. */
const readChannel = <C extends ChannelName>(name: C, env: Env, into: Read): readonly string[] => {
  const { credentials, warnings } = descriptors[name].read(env)
  if (credentials !== undefined) into[name] = credentials
  return warnings
}

export interface ReadChannels {
  /** Empty: the unit has no process for channels. */
  readonly channels: ChannelCredentials
  readonly warnings: readonly string[]
}

/** `Refusal` 78 names the variable. */
export const readChannels = (env: Env): ReadChannels => {
  const channels: Read = {}
  const warnings = channelNames.flatMap((name) => readChannel(name, env, channels))
  return { channels, warnings }
}

export const hasChannels = (channels: ChannelCredentials): boolean => Object.keys(channels).length > 0

const secretsOfChannel = <C extends ChannelName>(name: C, channels: ChannelCredentials): readonly string[] => {
  const credentials = channels[name]
  return credentials === undefined ? [] : descriptors[name].secrets(credentials)
}

/** Whatever of it must not be printed. */
export const secretsOf = (channels: ChannelCredentials): string[] => channelNames.flatMap((name) => secretsOfChannel(name, channels))
