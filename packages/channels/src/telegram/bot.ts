// The client of Telegram's Bot API. Whatever it sends goes by the unit's own way out. The token is part of each url: no url
// and no error of the client leaves this folder.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import { createOutlet, type Fetch } from '@gatehouse/outbound'
import { Api } from 'grammy/web'
import { boundedAnswer } from '../bounded-answer.ts'

export interface BotOptions {
  readonly credentials: NonNullable<ChannelCredentials['telegram']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

export interface Bot {
  /** Its calls end when the signal aborts. `patient`: also those that take the time of a file. */
  api(signal: AbortSignal, patient?: 'patient'): Api
  /** Answers with a file by the path that `getFile` told. */
  download(path: string): Promise<Response>
  close(): Promise<void>
}

/** Seconds that Telegram waits for a message before it says that there is none. */
export const pollTime = 25

/** A form comes as a stream, and goes as a whole: a file is in memory anyway, and no larger than one that is taken. */
const whole = async (body: RequestInit['body']): Promise<RequestInit['body']> =>
  body instanceof ReadableStream ? await new Response(body).bytes() : body

/** The client knows no signals of Node's: they come in here. */
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
