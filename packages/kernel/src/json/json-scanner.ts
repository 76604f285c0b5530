// Counts the structure of a JSON document on its bytes, as they arrive and outside of strings, so that a parser never sees more of
// it than its border allows. It does not judge the syntax: up to the first error the parser sees what is counted here, and then stops.
import { type JsonBounds, jsonNameBytes, ServiceError } from '@gatehouse/contracts'

const quote = 34
const backslash = 92

/** What a byte means outside of strings. Any other byte belongs to a number or a word. */
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

/** Bytes of a string that are looked at one by one before it counts as long. */
const near = 32

/** Offset of the quote that ends the string, or beyond the end: by one byte where the last one escapes the next. */
const findStringEnd = (bytes: Uint8Array, from: number): number => {
  const { length } = bytes
  let at = from
  const stop = Math.min(length, from + near)
  while (at < stop && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  if (at < stop || at >= length) return at
  const found = bytes.indexOf(quote, at)
  const end = found < 0 ? length : found
  const escape = bytes.subarray(at, end).indexOf(backslash)
  if (escape < 0) return end
  at += escape
  while (at < length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

export class JsonScanner {
  readonly #bounds: JsonBounds
  #fault: JsonFault | undefined
  #bytes = 0
  #levels = 0
  #values = 0
  /** Of each open container: 1 for an object. */
  readonly #isObject: number[] = []
  #inString = false
  #isEscaped = false
  #inWord = false
  /** The next string, or the one that is open, names a member. */
  #isName = false
  #nameBytes = 0

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  /** Takes the next bytes. Undefined while the document is within its bounds; the first fault stays. */
  push(bytes: Uint8Array): JsonFault | undefined {
    this.#bytes += bytes.length
    if (this.#bytes > this.#bounds.bytes) this.#fault ??= 'bytes'
    for (let at = 0; at < bytes.length && this.#fault === undefined;)
      at = this.#inString ? this.#readString(bytes, at) : this.#readStructure(bytes, at)
    return this.#fault
  }

  /** Up to the end of the string. */
  #readString(bytes: Uint8Array, from: number): number {
    const { length } = bytes
    const at = findStringEnd(bytes, this.#isEscaped ? from + 1 : from)
    this.#inString = at >= length
    this.#isEscaped = at > length
    if (this.#isName) {
      this.#nameBytes += Math.min(at, length) - from
      if (this.#nameBytes > jsonNameBytes) this.#fault = 'name'
    }
    return at + 1
  }

  /** Up to the beginning of the next string. */
  #readStructure(bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length && !this.#inString && this.#fault === undefined; at += 1) {
      const meaning = meanings[bytes[at] ?? 0] ?? 0
      if (meaning === 0) {
        if (!this.#inWord) this.#count()
        this.#inWord = true
      } else {
        this.#inWord = false
        if (meaning > space) this.#take(meaning)
      }
    }
    return at
  }

  #take(meaning: number): void {
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

/** Why a JSON document was not read. Never a word of the document itself, which may hold a secret. */
export type JsonFault = 'bytes' | 'levels' | 'values' | 'name' | 'syntax'

const phrases: Readonly<Record<JsonFault, (bounds: JsonBounds) => string>> = {
  bytes: ({ bytes }) => `is larger than ${bytes} bytes`,
  levels: ({ levels }) => `is nested deeper than ${levels} levels`,
  values: ({ values }) => `has more than ${values} values and names`,
  name: () => `has a name longer than ${jsonNameBytes} bytes`,
  syntax: () => 'is not valid JSON',
}

/** The end of a sentence whose subject is the document. */
export const describeJsonFault = (fault: JsonFault, bounds: JsonBounds): string => phrases[fault](bounds)

const hints: Partial<Record<JsonFault, string>> = {
  bytes: 'send less at once',
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

/** For whoever sent a body: `too-large` for its bytes, else `malformed`. */
export const refuseJsonBody = (fault: JsonFault, bounds: JsonBounds): ServiceError =>
  new ServiceError(fault === 'bytes' ? 'too-large' : 'malformed', {
    detail: `the body ${describeJsonFault(fault, bounds)}`,
    hint: hints[fault],
  })
