// Clients of Slack: its Web API and its socket, through the unit's own outbound connections. Their log output is dropped, because it
// contains messages.
import { type ChannelCredentials, jsonBounds, limits, type OutboundSettings } from '@gatehouse/contracts'
import { JsonScanner } from '@gatehouse/kernel'
import {
  createAddressPolicy,
  createConnect,
  createOutlet,
  dialDirectly,
  type Fetch,
  OutboundFailure,
  type Outlet,
} from '@gatehouse/outbound'
import { type Logger as SlackLogger, LogLevel, SocketModeClient } from '@slack/socket-mode'
import { type FetchFunction, WebClient, type WebClientOptions } from '@slack/web-api'
import { Agent } from 'undici'
import { boundedAnswer } from '../bounded-answer.ts'
import { UploadRefused } from './faults.ts'

/** Bounds the structure of each socket message before Slack's client parses it. */
export class BoundedSocket extends SocketModeClient {
  /** A message beyond the bounds closes the connection, which is opened again after a pause. */
  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data)
    if (new JsonScanner(jsonBounds.channelEvent).push(bytes) === undefined) await super.onWebSocketMessage(data, isBinary)
    else await this.disconnect()
  }
}

/** Domains that may receive Slack's tokens, besides the server that the operator configured. */
const domains = ['slack.com', 'slack-gov.com']

/** `named`: URL of the configured Web API. */
export const isOfSlack = (url: string, named: URL): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, origin, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  if (origin === named.origin) return true
  const isTheirs = domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
  // A server of the operator must not redirect to Slack.
  return protocol === 'https:' && isTheirs && domains.some((domain) => named.hostname === domain || named.hostname.endsWith(`.${domain}`))
}

export interface AppOptions {
  readonly credentials: NonNullable<ChannelCredentials['slack']>
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

export interface App {
  /** Web API client with the bot token. Its calls end when the signal aborts. */
  asBot(signal: AbortSignal): WebClient
  /** Web API client with the app token, which can only open connections. */
  asApp(signal: AbortSignal): WebClient
  /** A single connection without reconnects. */
  socket(signal: AbortSignal): SocketModeClient
  /** Downloads a file from a URL of Slack. */
  download(url: URL): Promise<Response>
  /** Uploads bytes to a URL that Slack returned, which must be a URL of Slack. No token is sent. */
  upload(url: URL, bytes: Uint8Array, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

const silence: SlackLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
}

/** The client does not support abort signals; they are added here. */
const clientFetch =
  (fetch: Fetch, signal: AbortSignal): FetchFunction =>
  async (url, { method, headers, body } = {}) => {
    if (body !== undefined && typeof body !== 'string') throw new TypeError('expected a form in text, got files')
    const timely = AbortSignal.any([signal, AbortSignal.timeout(limits.channelSendTime)])
    const init = { signal: timely, ...(method && { method }), ...(headers && { headers }), ...(body !== undefined && { body }) }
    return await boundedAnswer(await fetch(url, init))
  }

/** Connects only to Slack, whatever URL a server returns. */
const createDispatcher = ({ credentials, ownAddress, outbound: settings }: AppOptions): Agent => {
  const url = new URL(credentials.url)
  const policy = createAddressPolicy({ url, ownAddress })
  const connect = createConnect({ settings, policy, reach: 'any', dial: dialDirectly })
  return new Agent({
    connect: (to, tell) => {
      const target = `${to.protocol}//${to.hostname}${to.port === '' ? '' : `:${to.port}`}`
      if (isOfSlack(target, url)) connect(to, tell)
      else tell(new OutboundFailure('address-refused'), null)
    },
  })
}

/** An outbound connection to another host of Slack, for one request. */
const outletTo = ({ credentials, ownAddress, outbound: settings }: AppOptions, url: URL, most: number): Outlet => {
  if (!isOfSlack(url.href, new URL(credentials.url))) throw new OutboundFailure('address-refused')
  return createOutlet({ url, ownAddress, settings, most, headersTime: limits.channelFilesTime })
}

const download = async (options: AppOptions, url: URL): Promise<Response> => {
  const outlet = outletTo(options, url, limits.file)
  try {
    const headers = { authorization: `Bearer ${options.credentials.botToken}` }
    const answer = await outlet.fetch(url, { headers, signal: AbortSignal.timeout(limits.callTime) })
    return new Response(answer.ok ? await answer.bytes() : null, { status: answer.status, headers: answer.headers })
  } finally {
    await outlet.close()
  }
}

const upload = async (
  options: AppOptions,
  url: URL,
  { bytes, signal }: { readonly bytes: Uint8Array; readonly signal: AbortSignal },
): Promise<void> => {
  const outlet = outletTo(options, url, limits.channelAnswer)
  try {
    const headers = { 'content-type': 'application/octet-stream' }
    const { status, headers: answered } = await outlet.fetch(url, { method: 'POST', headers, body: Uint8Array.from(bytes), signal })
    if (status !== 200) throw new UploadRefused(status, answered.get('retry-after'))
  } finally {
    await outlet.close()
  }
}

export const createApp = (options: AppOptions): App => {
  const { credentials, ownAddress, outbound: settings } = options
  const url = new URL(credentials.url)
  const outlet = createOutlet({ url, ownAddress, settings, most: limits.channelAnswer })
  const dispatcher = createDispatcher(options)
  const clientOptions = (signal: AbortSignal): WebClientOptions => ({
    slackApiUrl: url.href,
    allowAbsoluteUrls: false,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    fetch: clientFetch(outlet.fetch, signal),
  })
  const as = (token: string, signal: AbortSignal): WebClient => new WebClient(token, { ...clientOptions(signal), logger: silence })
  return {
    asBot: (signal) => as(credentials.botToken, signal),
    asApp: (signal) => as(credentials.appToken, signal),
    socket: (signal) =>
      new BoundedSocket({
        appToken: credentials.appToken,
        autoReconnectEnabled: false,
        clientPingTimeout: limits.connectTime,
        serverPingTimeout: limits.channelSendTime,
        logger: silence,
        dispatcher,
        clientOptions: clientOptions(signal),
      }),
    download: (from) => download(options, from),
    upload: (to, bytes, signal) => upload(options, to, { bytes, signal }),
    close: async () => {
      await outlet.close()
      await dispatcher.destroy()
    },
  }
}
