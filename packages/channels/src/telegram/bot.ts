// The client of Telegram's Bot API, on the unit's own outbound connections. The token is part of each URL, so no URL and no error of
// the client leaves this folder.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import { createOutlet, type Fetch } from '@gatehouse/outbound'
import { Api } from 'grammy/web'
import { boundedAnswer } from '../bounded-answer.ts'
import { faultOf } from './faults.ts'

interface BotOptions {
  readonly credentials: NonNullable<ChannelCredentials['telegram']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

export interface Bot {
  /** Its calls end when the signal aborts. `patient`: with the longer timeout of file transfers. */
  api(signal: AbortSignal, patient?: 'patient'): Api
  /** Downloads a file by the path that `getFile` returned. */
  download(path: string): Promise<Response>
  close(): Promise<void>
}

/** Long-poll timeout in seconds. */
export const pollTime = 25

/** Buffers a form that is given as a stream. Files are in memory already and bounded in size. */
const whole = async (body: RequestInit['body']): Promise<RequestInit['body']> =>
  body instanceof ReadableStream ? await new Response(body).bytes() : body

/** The client does not support Node's abort signals; they are added here. */
const clientFetch = (fetch: Fetch, signal: AbortSignal): typeof globalThis.fetch => {
  return async (input, init) => {
    const signals = [signal, init?.signal].filter((one) => one instanceof AbortSignal)
    const body = await whole(init?.body)
    const url = input instanceof Request ? input.url : input
    return boundedAnswer(await fetch(url, { ...init, ...(body && { body }), signal: AbortSignal.any(signals) }))
  }
}

const seconds = (milliseconds: number): number => milliseconds / 1000

export const createBot = ({ credentials: { token, url: apiRoot }, ownAddress, outbound: settings }: BotOptions): Bot => {
  const answerTime = pollTime * 1000 + limits.connectTime
  const outlet = createOutlet({ url: new URL(apiRoot), ownAddress, settings, most: limits.file, headersTime: limits.channelFilesTime })
  const options = { apiRoot, sensitiveLogs: false }
  return {
    api: (signal, patient) => {
      const timeoutSeconds = seconds(patient === undefined ? answerTime : limits.channelFilesTime)
      return new Api(token, { ...options, timeoutSeconds, fetch: clientFetch(outlet.fetch, signal) })
    },
    download: (path) =>
      outlet.fetch(`${apiRoot}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`, {
        signal: AbortSignal.timeout(limits.callTime),
      }),
    close: () => outlet.close(),
  }
}

export interface Me {
  readonly id: number
  readonly username: string
}

/** Rejects with `ChannelFault`. */
export const identifyBot = async (bot: Bot, signal: AbortSignal): Promise<Me> => {
  try {
    const { id, username } = await bot.api(signal).getMe()
    return { id, username }
  } catch (error) {
    throw faultOf(error)
  }
}

export const accountOf = ({ username }: Me): string => `@${username}`
