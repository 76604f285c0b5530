// Headers by allow-list, both ways. Nobody's credentials pass, and nothing that a provider says of the operator's account.
import type { IncomingHttpHeaders } from 'node:http'
import type { Format } from '../formats/format.ts'
import { shortestSecret } from './blank.ts'

/** Betas that change how a model answers. Others reach tools, files or servers, and are left out. */
const betas = [
  /^structured-outputs-[\d-]+$/,
  /^fine-grained-tool-streaming-[\d-]+$/,
  /^interleaved-thinking-[\d-]+$/,
  /^token-efficient-tools-[\d-]+$/,
  /^output-128k-[\d-]+$/,
  /^context-1m-[\d-]+$/,
  /^effort-[\d-]+$/,
]

const betaOf = (given: string | string[] | undefined): Record<string, string> => {
  const wanted = String(given ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => betas.some((pattern) => pattern.test(each)))
  return wanted.length === 0 ? {} : { 'anthropic-beta': wanted.join(',') }
}

/** `accept-encoding: identity`: what is compressed could be neither counted nor searched. */
export const upstreamHeaders = (given: IncomingHttpHeaders, format: Format['name'], streams: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: streams ? 'text/event-stream' : 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'gatehouse',
  ...(format === 'messages' ? betaOf(given['anthropic-beta']) : {}),
})

const passed: Readonly<Record<string, RegExp>> = {
  'retry-after': /^[\w ,:-]{1,40}$/,
  'retry-after-ms': /^\d{1,10}$/,
  'request-id': /^[\w-]{1,128}$/,
  'x-request-id': /^[\w-]{1,128}$/,
}

export const answerHeaders = (headers: IncomingHttpHeaders, secret: string | null): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const [name, pattern] of Object.entries(passed)) {
    const value = headers[name]
    if (typeof value !== 'string' || !pattern.test(value)) continue
    if (secret !== null && secret.length >= shortestSecret && value.includes(secret)) continue
    kept[name] = value
  }
  return kept
}

export const mediaTypeOf = (headers: IncomingHttpHeaders): string => headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

export const isEncoded = (headers: IncomingHttpHeaders): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity'
