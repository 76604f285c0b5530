// Allow lists of request and answer headers, and redaction of the provider key. Credentials and account details never pass.
import type { IncomingHttpHeaders } from 'node:http'
import type { Format } from '../formats/format.ts'

/** Replaces a secret in a byte stream by asterisks of the same length. It delays only bytes that could begin the secret. */
const star = 42
/** Shorter values are not treated as secrets, because they would redact ordinary words. */
export const shortestSecret = 8

export class Blank {
  readonly #secret: Buffer
  readonly #isOfSecret = new Uint8Array(256)
  #tail: Buffer | undefined

  constructor(secret: string) {
    this.#secret = Buffer.from(secret)
    for (const byte of this.#secret) this.#isOfSecret[byte] = 1
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#tail === undefined ? chunk : Buffer.concat([this.#tail, chunk])
    this.#tail = undefined
    const clean = this.#blank(bytes)
    const held = this.#beginningAtEnd(clean)
    if (held === 0) return clean
    this.#tail = Buffer.from(clean.subarray(clean.length - held))
    return clean.subarray(0, clean.length - held)
  }

  /** The delayed bytes, which were not the secret. */
  end(): Buffer | undefined {
    return this.#tail
  }

  #blank(bytes: Buffer): Buffer {
    const length = this.#secret.length
    let at = bytes.indexOf(this.#secret)
    if (at < 0) return bytes
    const clean = Buffer.from(bytes)
    for (; at >= 0; at = clean.indexOf(this.#secret, at + length)) clean.fill(star, at, at + length)
    return clean
  }

  /** Most chunks end with the end of an event, which no secret contains. */
  #beginningAtEnd(bytes: Buffer): number {
    if (this.#isOfSecret[bytes.at(-1) ?? 0] === 0) return 0
    for (let length = Math.min(this.#secret.length - 1, bytes.length); length > 0; length--) {
      const from = bytes.length - length
      if (bytes[from] === this.#secret[0] && bytes.compare(this.#secret, 0, length, from) === 0) return length
    }
    return 0
  }
}

/** Redacts a complete text. */
export const blankText = (text: string, secret: string | null): string => {
  if (secret === null || secret.length < shortestSecret) return text
  const written = JSON.stringify(secret).slice(1, -1)
  return text.replaceAll(secret, '*'.repeat(secret.length)).replaceAll(written, '*'.repeat(written.length))
}

/** Betas that change how a model answers. Others give access to tools, files or servers and are removed. */
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

/** `accept-encoding: identity`: a compressed answer could be neither counted nor searched. */
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
