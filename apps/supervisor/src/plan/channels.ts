// Which channels the unit has credentials for. What has none does not exist.
import { type ChannelCredentials, checkServerUrl, exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

interface Given {
  readonly webhookSecret: string | undefined
  readonly telegramToken: string | undefined
  readonly telegramUrl: string | undefined
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

/** `Refusal` 78 names the variable. Empty: the unit has no process for channels. */
export const readChannels = (given: Given): ChannelCredentials => ({ ...readWebhook(given), ...readTelegram(given) })

export const hasChannels = (channels: ChannelCredentials): boolean => Object.keys(channels).length > 0

/** Whatever of it must not be printed. */
export const secretsOf = ({ webhook, telegram }: ChannelCredentials): string[] => [
  ...(webhook?.secrets ?? []),
  ...(telegram === undefined ? [] : [telegram.token, telegram.token.slice(telegram.token.indexOf(':') + 1)]),
]
