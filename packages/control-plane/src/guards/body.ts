// Last guard before a handler: a JSON body whose size and structure are bounded while it is read.
import { type JsonBounds, jsonBounds, ServiceError } from '@gatehouse/contracts'
import { JsonScanner, parseScannedJson, refuseJsonBody } from '@gatehouse/kernel'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

const jsonType = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i

const refuseMediaType = (detail: string): ServiceError =>
  new ServiceError('unsupported-media-type', { detail, hint: 'send "Content-Type: application/json" and no Content-Encoding' })

const checkHeaders = (c: Context<Env>): void => {
  const type = c.req.header('content-type')
  const encoding = c.req.header('content-encoding')
  if (type === undefined && !hasBody(c)) throw new ServiceError('malformed', { detail: 'expected a JSON body, got none' })
  if (type === undefined || !jsonType.test(type)) throw refuseMediaType('expected application/json, got another media type')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw refuseMediaType('expected a plain body, got an encoded one')
}

const hasBody = (c: Context<Env>): boolean =>
  c.req.header('transfer-encoding') !== undefined || (c.req.header('content-length') ?? '0') !== '0'

const tooLarge = (c: Context<Env>, limit: number): ServiceError => {
  c.header('Connection', 'close')
  return new ServiceError('too-large', { detail: `expected a body of at most ${limit} bytes, got more` })
}

/** The bytes of the body as they come, counted. */
export async function* bytesOf(c: Context<Env>, limit: number): AsyncGenerator<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(c, limit)
  const stream: AsyncIterable<unknown> | readonly [] = c.req.raw.body ?? []
  let size = 0
  try {
    for await (const chunk of stream) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('expected bytes from the body')
      size += chunk.byteLength
      if (size > limit) break
      yield chunk
    }
  } catch (cause) {
    throw new ServiceError('malformed', { detail: 'expected a whole body, but it ended early', cause })
  }
  if (size > limit) throw tooLarge(c, limit)
}

export const readBytes = async (c: Context<Env>, limit: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytesOf(c, limit)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ServiceError('malformed', { detail: 'expected JSON in UTF-8, got other bytes', cause })
  }
}

const parse = (text: string, bounds: JsonBounds): unknown => {
  try {
    return parseScannedJson(text, bounds)
  } catch {
    // The parser's message shows what was sent, which may be a secret.
    throw new ServiceError('malformed', { detail: text === '' ? 'expected a JSON body, got none' : 'expected JSON, got something else' })
  }
}

/** Throws `malformed` at the first bytes that are beyond the bounds. */
const readDocument = async (c: Context<Env>, limit: number, bounds: JsonBounds = jsonBounds.apiBody): Promise<string> => {
  const scanner = new JsonScanner(bounds)
  const chunks: Uint8Array[] = []
  for await (const chunk of bytesOf(c, limit)) {
    const fault = scanner.push(chunk)
    if (fault !== undefined) {
      c.header('Connection', 'close')
      throw refuseJsonBody(fault, bounds)
    }
    chunks.push(chunk)
  }
  return decode(Buffer.concat(chunks))
}

const take = (c: Context<Env>, text: string): void => {
  parse(text, jsonBounds.apiBody)
  c.set('body', text)
  c.req.raw = new Request(c.req.url, { method: c.req.method, headers: c.req.raw.headers, body: text })
}

/** Leaves the bytes that it read as the body of the request, for the validator of the route. */
export const jsonBody =
  (limit: number): MiddlewareHandler<Env> =>
  async (c, next) => {
    checkHeaders(c)
    take(c, await readDocument(c, limit))
    return next()
  }

/** The same, but a request without a body means `{}`: every member of such a body may be left out. */
export const optionalJsonBody =
  (limit: number): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (!hasBody(c) && c.req.header('content-type') === undefined) return next()
    checkHeaders(c)
    const text = await readDocument(c, limit)
    take(c, text === '' ? '{}' : text)
    return next()
  }

/** The value of a JSON body within bounds of its own. The request stays as it is, with its signal. */
export const readJson = async (c: Context<Env>, bounds: JsonBounds): Promise<unknown> => {
  checkHeaders(c)
  return parse(await readDocument(c, bounds.bytes, bounds), bounds)
}
