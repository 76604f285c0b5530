// Counts the structure of a JSON document in its bytes as they arrive, so that a parser never gets more than the bounds of its caller.
// An escape costs a parser about as much as two plain characters, so it counts as one more byte. The scanner does not check syntax: a
// parser reads the same structure up to the first error, and stops there.
import { type JsonBounds, jsonNameBytes, ServiceError } from '@gatehouse/contracts'

const quote = 34
const backslash = 92

/** The meaning of a byte outside of strings. Any other byte belongs to a number or a literal. */
const [space, text, openArray, openObject, close, comma, colon] = [1, 2, 3, 4, 5, 6, 7]

const meanings = new Uint8Array(256)
for (const [characters, meaning] of [
  [' \t\n\r', space],
  ['"', text],
  ['[', openArray],
  ['{', openObject],
  ['}]', close],
  [',', comma],
  [':', colon],
] as const)
  for (const character of characters) meanings[character.charCodeAt(0)] = meaning

/** Bytes of a string that are scanned one by one before it is searched as a long string. */
const shortStringBytes = 32

export class JsonScanner {
  readonly #bounds: JsonBounds
  #fault: JsonFault | undefined
  #bytes = 0
  #escapes = 0
  #levels = 0
  #values = 0
  /** For each open container: 1 for an object. */
  readonly #isObject: number[] = []
  #inString = false
  #isEscaped = false
  #inLiteral = false
  /** The next string, or the one that is open, names a member. */
  #isName = false
  #nameBytes = 0

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  /** Scans the next bytes. Returns undefined while the document is within its bounds, and from then on the first fault. */
  push(bytes: Uint8Array): JsonFault | undefined {
    this.#bytes += bytes.length
    this.#checkSize()
    for (let at = 0; at < bytes.length && this.#fault === undefined;)
      at = this.#inString ? this.#readString(bytes, at) : this.#readStructure(bytes, at)
    return this.#fault
  }

  #checkSize(): void {
    const { bytes } = this.#bounds
    if (this.#bytes + this.#escapes > bytes) this.#fault ??= this.#bytes > bytes ? 'bytes' : 'escapes'
  }

  /** Scans to the end of the string. Returns the next offset. */
  #readString(bytes: Uint8Array, from: number): number {
    const { length } = bytes
    const at = this.#findStringEnd(bytes, this.#isEscaped ? from + 1 : from)
    this.#checkSize()
    this.#inString = at >= length
    this.#isEscaped = at > length
    if (this.#isName) {
      this.#nameBytes += Math.min(at, length) - from
      if (this.#nameBytes > jsonNameBytes) this.#fault = 'name'
    }
    return at + 1
  }

  /** Offset of the quote that ends the string, or beyond the end: by one byte where the last one escapes the next. */
  #findStringEnd(bytes: Uint8Array, from: number): number {
    const { length } = bytes
    const at = this.#skip(bytes, from, Math.min(length, from + shortStringBytes))
    if (at >= length || at < from + shortStringBytes) return at
    const quoteAt = bytes.indexOf(quote, at)
    const end = quoteAt < 0 ? length : quoteAt
    const escape = bytes.subarray(at, end).indexOf(backslash)
    return escape < 0 ? end : this.#skip(bytes, at + escape, length)
  }

  /** Scans every byte of a string up to `stop` and counts the escapes. */
  #skip(bytes: Uint8Array, from: number, stop: number): number {
    let at = from
    let escapes = 0
    for (; at < stop && bytes[at] !== quote; at += 1) {
      if (bytes[at] !== backslash) continue
      escapes += 1
      at += 1
    }
    this.#escapes += escapes
    return at
  }

  /** Scans to the beginning of the next string. Returns the next offset. */
  #readStructure(bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length && !this.#inString && this.#fault === undefined; at += 1) {
      const meaning = meanings[bytes[at] ?? 0] ?? 0
      if (meaning === 0) {
        if (!this.#inLiteral) this.#count()
        this.#inLiteral = true
      } else {
        this.#inLiteral = false
        if (meaning > space) this.#readToken(meaning)
      }
    }
    return at
  }

  #readToken(meaning: number): void {
    switch (meaning) {
      case text:
        this.#inString = true
        this.#nameBytes = 0
        return this.#count()
      case openArray:
      case openObject:
        return this.#open(meaning === openObject)
      case close:
        this.#levels = Math.max(0, this.#levels - 1)
        this.#isName = false
        return
      default:
        this.#isName = meaning === comma && this.#levels > 0 && this.#isObject[this.#levels] === 1
    }
  }

  #open(isObject: boolean): void {
    this.#count()
    this.#levels += 1
    this.#isObject[this.#levels] = isObject ? 1 : 0
    this.#isName = isObject
    if (this.#levels > this.#bounds.levels) this.#fault = 'levels'
  }

  #count(): void {
    this.#values += 1
    if (this.#values > this.#bounds.values) this.#fault = 'values'
  }
}

/** Why a JSON document was refused. Never contains text of the document, which may hold a secret. */
export type JsonFault = 'bytes' | 'escapes' | 'levels' | 'values' | 'name' | 'syntax'

const phrases: Readonly<Record<JsonFault, (bounds: JsonBounds) => string>> = {
  bytes: ({ bytes }) => `is larger than ${bytes} bytes`,
  escapes: ({ bytes }) => `is larger than ${bytes} bytes with one more for each escape`,
  levels: ({ levels }) => `is nested deeper than ${levels} levels`,
  values: ({ values }) => `has more than ${values} values and names`,
  name: () => `has a name longer than ${jsonNameBytes} bytes`,
  syntax: () => 'is not valid JSON',
}

/** A predicate for a sentence whose subject is the document, such as "is not valid JSON". */
export const describeJsonFault = (fault: JsonFault, bounds: JsonBounds): string => phrases[fault](bounds)

const hints: Partial<Record<JsonFault, string>> = {
  bytes: 'send less at once',
  escapes: 'send less at once',
  levels: 'send less structure: a deep part can travel as text',
  values: 'send less at once, or send large data as one text',
}

export class JsonRefused extends Error {
  readonly fault: JsonFault
  readonly bounds: JsonBounds

  constructor(fault: JsonFault, bounds: JsonBounds) {
    super(`the document ${describeJsonFault(fault, bounds)}`)
    this.name = 'JsonRefused'
    this.fault = fault
    this.bounds = bounds
  }
}

/** The error for the sender of a request body: `too-large` for bytes and escapes, otherwise `malformed`. */
export const refuseJsonBody = (fault: JsonFault, bounds: JsonBounds): ServiceError =>
  new ServiceError(fault === 'bytes' || fault === 'escapes' ? 'too-large' : 'malformed', {
    detail: `the body ${describeJsonFault(fault, bounds)}`,
    hint: hints[fault],
  })
