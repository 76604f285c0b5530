// Which channels the unit has credentials for. What has none does not exist.
import { type ChannelCredentials, exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

interface Given {
  readonly webhookSecret: string | undefined
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

/** `Refusal` 78 names the variable. Empty: the unit has no process for channels. */
export const readChannels = (given: Given): ChannelCredentials => ({ ...readWebhook(given) })

export const hasChannels = (channels: ChannelCredentials): boolean => Object.keys(channels).length > 0

/** Whatever of it must not be printed. */
export const secretsOf = ({ webhook }: ChannelCredentials): string[] => [...(webhook?.secrets ?? [])]
