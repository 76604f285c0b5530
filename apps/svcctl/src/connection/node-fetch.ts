// A `fetch` on node:http: that of Node costs a tenth of a second at its first use. Follows nothing, keeps nothing.
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http'
import type { FetchResponse, Fetch, FetchInit } from '@gatehouse/client'
import type { Environment } from '../command.ts'

/** Where the way leads through a proxy, and who is trusted. Plain http takes no proxy: it would read the token. */
const secureOptions = async (environment: Environment): Promise<object> => {
  const { Agent } = await import('node:https')
  const pick = (name: string): string | undefined => environment[name] || environment[name.toLowerCase()] || undefined
  const proxy = { HTTPS_PROXY: pick('HTTPS_PROXY'), NO_PROXY: pick('NO_PROXY') }
  const file = environment['SERVICE_CA_FILE']
  return { agent: new Agent({ proxyEnv: proxy, ...(file !== undefined && file !== '' && { ca: await authorities(file) }) }) }
}

const authorities = async (file: string): Promise<string[]> => {
  const [{ readFile }, { rootCertificates }] = await Promise.all([import('node:fs/promises'), import('node:tls')])
  return [...rootCertificates, await readFile(file, 'utf8')]
}

const open = async (url: URL, init: FetchInit, environment: Environment): Promise<ClientRequest> => {
  const options = { method: init.method, headers: init.headers, ...(init.signal !== undefined && { signal: init.signal }) }
  if (url.protocol === 'http:') return requestByHttp(url, options)
  const { request } = await import('node:https')
  return request(url, { ...options, ...(await secureOptions(environment)) })
}

const readAll = async (message: IncomingMessage): Promise<string> => {
  message.setEncoding('utf8')
  let text = ''
  for await (const piece of message) text += String(piece)
  return text
}

const readBytes = async (message: IncomingMessage): Promise<ArrayBuffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of message) if (piece instanceof Uint8Array) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces)).buffer
}

const answerOf = (message: IncomingMessage): FetchResponse => {
  const status = message.statusCode ?? 0
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => [message.headers[name.toLowerCase()] ?? null].flat()[0] ?? null },
    get body() {
      return ReadableStream.from<Uint8Array>(message)
    },
    text: () => readAll(message),
    arrayBuffer: () => readBytes(message),
  }
}

/** Whether it was the proxy that could not be reached, and not the unit. */
const ofProxy = (error: Error, environment: Environment): Error => {
  const proxy = URL.parse(environment['HTTPS_PROXY'] ?? environment['https_proxy'] ?? '')
  const port = 'port' in error ? String(error.port) : undefined
  const failed = proxy !== null && port === (proxy.port || (proxy.protocol === 'https:' ? '443' : '80'))
  return failed ? Object.assign(new Error('the proxy cannot be reached', { cause: error }), { code: 'ERR_PROXY_UNREACHABLE' }) : error
}

export const createFetch =
  (environment: Environment): Fetch =>
  async (address, init) => {
    const request = await open(new URL(address), init, environment)
    return await new Promise<FetchResponse>((resolve, reject) => {
      request.once('error', (error) => reject(ofProxy(error, environment)))
      request.once('response', (message) => resolve(answerOf(message)))
      request.end(init.body)
    })
  }
