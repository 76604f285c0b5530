// Which channels the unit has credentials for. What has none does not exist.
import { type ChannelCredentials, checkServerUrl, exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

interface Given {
  readonly webhookSecret: string | undefined
  readonly slackBotToken: string | undefined
  readonly slackAppToken: string | undefined
  readonly slackUrl: string | undefined
  readonly telegramToken: string | undefined
  readonly telegramUrl: string | undefined
  readonly imapUrl: string | undefined
  readonly smtpUrl: string | undefined
  readonly emailFrom: string | undefined
}

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

const readWebhook = ({ webhookSecret }: Given): Pick<ChannelCredentials, 'webhook'> =>
  webhookSecret === undefined ? {} : { webhook: { secrets: webhookSecret.trim().split(/\s+/).map(parseKey) } }

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

const readSlack = ({ slackBotToken, slackAppToken, slackUrl }: Given): Pick<ChannelCredentials, 'slack'> => {
  if (slackBotToken === undefined && slackAppToken === undefined && slackUrl === undefined) return {}
  if (slackBotToken === undefined || slackAppToken === undefined)
    throw refuse('SLACK_BOT_TOKEN and SLACK_APP_TOKEN: expected both or nothing of Slack, got some', 'set the other, or unset what is set')
  const botToken = parseSlackToken('SLACK_BOT_TOKEN', slackBotToken, 'xoxb-')
  const appToken = parseSlackToken('SLACK_APP_TOKEN', slackAppToken, 'xapp-')
  return { slack: { botToken, appToken, url: `${checkUrl('SLACK_API_URL', slackUrl ?? 'https://slack.com/api/')}/` } }
}

const readTelegram = ({ telegramToken, telegramUrl }: Given): Pick<ChannelCredentials, 'telegram'> => {
  if (telegramToken === undefined) {
    if (telegramUrl === undefined) return {}
    throw refuse('TELEGRAM_API_URL: expected TELEGRAM_BOT_TOKEN with it, got none', 'set the token too, or unset the url')
  }
  const token = telegramToken.trim()
  if (!/^\d{5,20}:[A-Za-z0-9_-]{20,100}$/.test(token))
    throw refuse(
      'TELEGRAM_BOT_TOKEN: expected digits, a colon and letters, as @BotFather gives it, got something else',
      'copy it once more',
    )
  return { telegram: { token, url: checkUrl('TELEGRAM_API_URL', telegramUrl ?? 'https://api.telegram.org') } }
}

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

const readEmail = ({ imapUrl, smtpUrl, emailFrom }: Given): Pick<ChannelCredentials, 'email'> => {
  if (imapUrl === undefined && smtpUrl === undefined && emailFrom === undefined) return {}
  if (imapUrl === undefined || smtpUrl === undefined || emailFrom === undefined)
    throw refuse('EMAIL_IMAP_URL, EMAIL_SMTP_URL and EMAIL_FROM: expected all three or none, got some', 'set the others, or unset these')
  const imap = checkServer('EMAIL_IMAP_URL', imapUrl, { schemes: /^imaps?:$/, example: imapExample })
  const smtp = checkServer('EMAIL_SMTP_URL', smtpUrl, { schemes: /^smtps?:$/, example: 'smtps://user:password@mail.example' })
  if (!fromForm.test(emailFrom))
    throw refuse(
      'EMAIL_FROM: expected an address such as agents@example.org or Agents <agents@example.org>, got something else',
      'correct it',
    )
  return { email: { imap, smtp, from: emailFrom, authority: authorityOf(imap) } }
}

/** `Refusal` 78 names the variable. Empty: the unit has no process for channels. */
export const readChannels = (given: Given): ChannelCredentials => ({
  ...readWebhook(given),
  ...readSlack(given),
  ...readTelegram(given),
  ...readEmail(given),
})

export const hasChannels = (channels: ChannelCredentials): boolean => Object.keys(channels).length > 0

/** Whatever of it must not be printed. */
export const secretsOf = ({ webhook, slack, telegram, email }: ChannelCredentials): string[] => [
  ...(webhook?.secrets ?? []),
  ...(slack === undefined ? [] : [slack.botToken, slack.appToken]),
  ...(telegram === undefined ? [] : [telegram.token, telegram.token.slice(telegram.token.indexOf(':') + 1)]),
  ...[email?.imap, email?.smtp].flatMap((url) =>
    url === undefined ? [] : [url, new URL(url).password, decodeURIComponent(new URL(url).password)],
  ),
]
