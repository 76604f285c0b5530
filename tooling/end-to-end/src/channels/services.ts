// The services of channels as one test meets them: each is written to by a person, and shows what the unit has said.
import { randomBytes } from 'node:crypto'
import { ann as annOfSlack, startSlack } from '@gatehouse/testkit/slack-server'
import { ann as annOfTelegram, startTelegram } from '@gatehouse/testkit/telegram-server'
import { addressOf, draft, filesOn } from './letters.ts'
import { passwordOf, startMailServers } from './mail-servers.ts'
import type { Parcel } from './parcel.ts'

export interface Answer {
  readonly text: string
  /** Answers with the same id are one, sent again; undefined where the service has none of ours. */
  readonly id: string | undefined
}

export interface Service {
  readonly channel: 'slack' | 'telegram' | 'email'
  /** What a unit is started with. */
  readonly env: Readonly<Record<string, string>>
  /** What must stand nowhere. */
  readonly secrets: readonly string[]
  /** The service brings what is written in the order of its coming. */
  readonly keepsOrder: boolean
  /** An address that may be wired. */
  readonly place: (lane: number) => string
  /** A person writes there. `again`: the service brings it twice. */
  readonly say: (lane: number, text: string, again: boolean) => Promise<void>
  /** What came with what the agent said, in the order of its coming. */
  readonly files: () => Promise<readonly Parcel[]>
  /** In the order of their coming. */
  readonly answers: () => Promise<readonly Answer[]>
  /** Takes the credentials away. Resolves with what a unit is started with that has the new ones. */
  readonly revoke: () => Promise<Readonly<Record<string, string>>>
  readonly close: () => Promise<void>
}

const canary = (): string => `canary${randomBytes(12).toString('hex')}`

const slackTokens = () => ({ bot: `xoxb-${canary()}`, app: `xapp-${canary()}` })

const slackService = async (): Promise<Service> => {
  const tokens = slackTokens()
  const server = await startSlack(tokens)
  const place = (lane: number): string => `C0LANE${lane}`
  const env = () => ({ SLACK_BOT_TOKEN: tokens.bot, SLACK_APP_TOKEN: tokens.app, SLACK_API_URL: server.url })
  return {
    channel: 'slack',
    env: env(),
    secrets: [tokens.bot, tokens.app],
    keepsOrder: true,
    place,
    say: async (lane, text, again) => {
      const said = { channel: place(lane), user: annOfSlack, text }
      const ts = server.say(said)
      if (again) server.say({ ...said, ts, more: { type: 'app_mention' } })
    },
    files: async () => server.shared,
    answers: async () => server.posted.map(({ text }) => ({ text, id: undefined })),
    revoke: async () => {
      Object.assign(tokens, slackTokens())
      server.cut()
      return env()
    },
    close: server.close,
  }
}

const telegramService = async (): Promise<Service> => {
  const secret = canary()
  const server = await startTelegram(`123456789:${secret}`)
  const { telegram } = server
  const env = () => ({ TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_URL: server.url })
  const personOf = (lane: number): number => annOfTelegram.id + lane
  return {
    channel: 'telegram',
    env: env(),
    secrets: [secret],
    keepsOrder: true,
    place: (lane) => String(personOf(lane)),
    say: async (lane, text, again) => {
      const id = personOf(lane)
      server.say({ chat: { id, type: 'private' }, from: { ...annOfTelegram, id }, text })
      const message = telegram.updates.at(-1)?.message
      if (again) telegram.push({ update_id: telegram.nextUpdate(), message })
    },
    files: async () => server.documents.flatMap(({ document }) => (typeof document === 'object' ? [document] : [])),
    answers: async () => server.sent.map(({ text }) => ({ text, id: undefined })),
    revoke: async () => {
      Object.assign(telegram, { token: `123456789:${canary()}` })
      server.cut()
      return env()
    },
    close: server.close,
  }
}

const emailService = async (): Promise<Service> => {
  const mail = await startMailServers()
  const place = (lane: number): string => addressOf(`agents+lane${lane}`)
  return {
    channel: 'email',
    env: mail.env,
    secrets: [passwordOf('agents')],
    // Exim delivers letters beside each other.
    keepsOrder: false,
    place,
    say: async (lane, text, again) => {
      const letter = draft({ text, to: place(lane) })
      for (const _ of again ? [1, 2] : [1]) await mail.send(letter, { as: 'ann', to: place(lane) })
    },
    files: async () => (await mail.letters('ann')).flatMap(filesOn),
    answers: async () => (await mail.letters('ann')).map(({ body, header }) => ({ text: body.trim(), id: header('Message-ID') })),
    revoke: async () => {
      const password = canary()
      await mail.setPassword(password)
      await mail.stop('dovecot')
      mail.startDovecot()
      const { EMAIL_IMAP_URL: url } = mail.env
      return { ...mail.env, EMAIL_IMAP_URL: url.replace(encodeURIComponent(passwordOf('agents')), password) }
    },
    close: mail.close,
  }
}

export const startServices = (): Promise<Service[]> => Promise.all([slackService(), telegramService(), emailService()])
