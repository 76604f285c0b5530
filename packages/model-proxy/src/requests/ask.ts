// From the bytes of a request to what it asks for: a path that is known, a body that holds nothing that is not.
import type { IncomingMessage } from 'node:http'
import { isServiceError, jsonBounds, type ProviderPower, providerPowers } from '@gatehouse/contracts'
import { parseScannedJson, readBody } from '@gatehouse/kernel'
import type { Body } from '../formats/format.ts'
import { FieldRefused, isObject, look } from '../formats/shape.ts'
import { findRoute, type Route } from '../providers/route.ts'
import type { ProviderTable } from '../providers/table.ts'
import { ModelRefusal } from './refusal.ts'
import { hasUniqueKeys } from './unique-keys.ts'

export interface Ask {
  readonly route: Route
  readonly model: string
  readonly body: Body
  /** The body as it is written again, unless something is set in it. */
  readonly text: string
  readonly streams: boolean
  /** What the provider would do by itself, with the field that asks for it. */
  readonly powers: ReadonlyMap<ProviderPower, string>
  /** Tokens that the request itself will take, about. */
  readonly input: number
  /** Bytes that were received. */
  readonly bytes: number
}

const bytesPerToken = 4
/** Images and documents are tokens by their size in another measure than text: this is more than providers ask for. */
const mediaBytesPerToken = 64

const malformed = (what: string): ModelRefusal => new ModelRefusal('malformed', `expected a body of JSON, got ${what}`)

const parse = (text: string): unknown => {
  try {
    return parseScannedJson(text, jsonBounds.modelRequest)
  } catch {
    throw malformed('what is no JSON')
  }
}

/** The bytes were scanned while they arrived. */
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

/** Throws `ModelRefusal`, or `Abandoned` when the caller leaves. */
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

/** Throws `power-refused` with the first field that asks for what no change allowed. */
export const checkPowers = ({ powers }: Pick<Ask, 'powers'>, allowed: readonly string[]): void => {
  for (const [power, field] of powers)
    if (!allowed.includes(power))
      throw new ModelRefusal(
        'power-refused',
        `${field}: this ${providerPowers[power]}, which needs an approved change of permissions with providerTools ["${power}"]`,
      )
}
