// Parses a model request: a known path, and a body in which every field is known and no key occurs twice.
import type { IncomingMessage } from 'node:http'
import { isObject, isServiceError, jsonBounds, type ProviderPower, providerPowers } from '@gatehouse/contracts'
import { parseScannedJson, readBody } from '@gatehouse/kernel'
import type { Body } from '../formats/format.ts'
import { look } from '../formats/shape.ts'
import { FieldRefused } from '../formats/values.ts'
import { findRoute, type ProviderTable, type Route } from '../providers/table.ts'
import { ModelRefusal } from '../refusal.ts'

/** Whether no object of a JSON text has a duplicate key. Parsers may choose different ones of two. */
const quote = 34
const backslash = 92

/** Offset after the string that begins at `at`. The text is valid JSON. */
const stringEnd = (text: string, at: number): number => {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

const isKey = (text: string, end: number): boolean => {
  let at = end
  while (isSpace(text.charCodeAt(at))) at++
  return text[at] === ':'
}

const scan = (text: string): boolean => {
  const open: Set<unknown>[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = stringEnd(text, at)
      if (isKey(text, end)) {
        const name = parseScannedJson(text.slice(at, end), jsonBounds.modelRequest)
        const names = open.at(-1)
        if (names?.has(name) === true) return false
        names?.add(name)
      }
      at = end - 1
    } else if (text[at] === '{') open.push(new Set())
    else if (text[at] === '}') open.pop()
  }
  return true
}

/** @param canonical the serialized form of the parsed text; if it equals the text, no key was lost */
const hasUniqueKeys = (text: string, canonical: string): boolean => text === canonical || scan(text)

export interface Ask {
  readonly route: Route
  readonly model: string
  readonly body: Body
  /** The serialized body, unless fields are set in it. */
  readonly text: string
  readonly streams: boolean
  /** Actions of the provider that the request would cause, each with the field that requests it. */
  readonly powers: ReadonlyMap<ProviderPower, string>
  /** Estimated tokens of the request itself. */
  readonly input: number
  /** Received bytes. */
  readonly bytes: number
}

const bytesPerToken = 4
/** Images and documents are counted differently from text; this is an upper bound of what providers count. */
const mediaBytesPerToken = 64

const malformed = (what: string): ModelRefusal => new ModelRefusal('malformed', `expected a body of JSON, got ${what}`)

const parse = (text: string): unknown => {
  try {
    return parseScannedJson(text, jsonBounds.modelRequest)
  } catch {
    throw malformed('what is no JSON')
  }
}

/** The bytes have been scanned while they arrived. */
const readObject = (bytes: Buffer): { body: Body; text: string } => {
  const text = bytes.toString('utf8')
  const body = parse(text)
  if (!isObject(body)) throw malformed('what is no object')
  const canonical = JSON.stringify(body)
  if (!hasUniqueKeys(text, canonical)) throw malformed('an object that names a field twice')
  return { body, text: canonical }
}

const examine = (route: Route, body: Body) => {
  try {
    return look(route.path.format.shape, body)
  } catch (error) {
    if (error instanceof FieldRefused) throw new ModelRefusal('field-refused', error.message)
    throw error
  }
}

/** The path is known before the body is read. Throws `path-refused`. */
export const routeOf = ({ method, url = '', headers }: IncomingMessage, providers: ProviderTable): Route => {
  const route = method === 'POST' ? findRoute(providers, url) : undefined
  if (route === undefined)
    throw new ModelRefusal('path-refused', `expected POST on an inference path of ${[...providers.keys()].join(', ')}, got another`)
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new ModelRefusal('malformed', 'expected content-type: application/json')
  if (headers['content-encoding'] !== undefined) throw new ModelRefusal('malformed', 'expected a body without content-encoding')
  return route
}

const readBytes = (request: IncomingMessage): Promise<Buffer> =>
  readBody(request, jsonBounds.modelRequest).catch((error: unknown) => {
    if (!isServiceError(error)) throw error
    throw new ModelRefusal(error.code === 'too-large' ? 'too-large' : 'malformed', error.detail ?? error.message)
  })

/** Throws `ModelRefusal`, or `Abandoned` when the caller disconnects. */
export const readAsk = async (request: IncomingMessage, route: Route): Promise<Ask> => {
  const bytes = await readBytes(request)
  const { body, text } = readObject(bytes)
  const { format, streams } = route.path
  const model = route.model ?? format.model(body)
  const { powers, media } = examine(route, body)
  if (typeof model !== 'string') throw new ModelRefusal('field-refused', 'model: expected a text')
  const input = Math.ceil((text.length - media) / bytesPerToken) + Math.ceil(media / mediaBytesPerToken)
  return { route, model, body, text, streams: streams ?? format.streams(body), powers, input, bytes: bytes.length }
}

/** Throws `power-refused` with the first field that needs a permission without an approved change. */
export const checkPowers = ({ powers }: Pick<Ask, 'powers'>, allowed: readonly string[]): void => {
  for (const [power, field] of powers)
    if (!allowed.includes(power))
      throw new ModelRefusal(
        'power-refused',
        `${field}: this ${providerPowers[power]}, which needs an approved change of permissions with providerTools ["${power}"]`,
      )
}
