// The client of Telegram's Bot API. Whatever it sends goes by the unit's own way out. The token is part of each url: no url
// and no error of the client leaves this folder.
import { type ChannelCredentials, limits, type OutboundSettings } from '@gatehouse/contracts'
import { createOutlet, type Fetch } from '@gatehouse/outbound'
import { Api } from 'grammy/web'

export interface BotOptions {
  readonly credentials: NonNullable<ChannelCredentials['telegram']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

export interface Bot {
  /** Its calls end when the signal aborts. */
  api(signal: AbortSignal): Api
  /** Answers with a file by the path that `getFile` told. */
  download(path: string): Promise<Response>
  close(): Promise<void>
}

/** Seconds that Telegram waits for a message before it says that there is none. */
export const pollTime = 25

/** The client knows no signals of Node's: they come in here. */
const clientFetch = (fetch: Fetch, signal: AbortSignal): typeof globalThis.fetch => {
  return (input, init) => {
    const signals = [signal, init?.signal].filter((one) => one instanceof AbortSignal)
    return fetch(input instanceof Request ? input.url : input, { ...init, signal: AbortSignal.any(signals) })
  }
}

export const createBot = ({ credentials: { token, url: apiRoot }, ownAddress, outbound: settings }: BotOptions): Bot => {
  const headersTime = pollTime * 1000 + limits.connectTime
  const outlet = createOutlet({ url: new URL(apiRoot), ownAddress, settings, most: limits.file, headersTime })
  const options = { apiRoot, timeoutSeconds: headersTime / 1000, sensitiveLogs: false }
  return {
    api: (signal) => new Api(token, { ...options, fetch: clientFetch(outlet.fetch, signal) }),
    download: (path) =>
      outlet.fetch(`${apiRoot}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`, {
        signal: AbortSignal.timeout(limits.callTime),
      }),
    close: () => outlet.close(),
  }
}
