// Last guard before a handler: reads a JSON body and limits its size and structure while reading.
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
  if (type === undefined && !hasBody(c)) throw new ServiceError('malformed', { detail: 'the JSON body is missing' })
  if (type === undefined || !jsonType.test(type)) throw refuseMediaType('the media type must be application/json')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw refuseMediaType('the body must not be encoded')
}

const hasBody = (c: Context<Env>): boolean =>
  c.req.header('transfer-encoding') !== undefined || (c.req.header('content-length') ?? '0') !== '0'

const tooLarge = (c: Context<Env>, limit: number): ServiceError => {
  c.header('Connection', 'close')
  return new ServiceError('too-large', { detail: `the body is larger than ${limit} bytes` })
}

/** Reads the body as it arrives and enforces the limit. */
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
    throw new ServiceError('malformed', { detail: 'the body ended early', cause })
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
    throw new ServiceError('malformed', { detail: 'the body is not UTF-8', cause })
  }
}

const parse = (text: string, bounds: JsonBounds): unknown => {
  try {
    return parseScannedJson(text, bounds)
  } catch {
    // The message of the parser contains the input, which can be a secret.
    throw new ServiceError('malformed', { detail: text === '' ? 'the JSON body is missing' : 'the body is not JSON' })
  }
}

/** Throws `malformed` as soon as a limit is exceeded. */
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

/** Restores the bytes as the body of the request, for the validator of the route. */
export const jsonBody =
  (limit: number): MiddlewareHandler<Env> =>
  async (c, next) => {
    checkHeaders(c)
    take(c, await readDocument(c, limit))
    return next()
  }

/** Like `jsonBody`, but a missing body means `{}`. For bodies with optional members only. */
export const optionalJsonBody =
  (limit: number): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (!hasBody(c) && c.req.header('content-type') === undefined) return next()
    checkHeaders(c)
    const text = await readDocument(c, limit)
    take(c, text === '' ? '{}' : text)
    return next()
  }

/** Parses a JSON body with its own limits. The request remains unchanged. */
export const readJson = async (c: Context<Env>, bounds: JsonBounds): Promise<unknown> => {
  checkHeaders(c)
  return parse(await readDocument(c, bounds.bytes, bounds), bounds)
}
