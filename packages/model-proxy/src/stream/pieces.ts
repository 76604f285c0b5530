// Detects a secret that is sent in pieces, each in a separate event, by tracking how much of it the texts have spelled so far.
// It never delays bytes: the event that would complete the secret is not passed on.
import { jsonBounds } from '@gatehouse/contracts'
import { parseScannedJson } from '@gatehouse/kernel'

/** Number of bytes that may pass before the secret is recognized: prefixes of keys are not secret. */
const tellingLength = (secret: string): number => Math.min(20, Math.ceil(secret.length / 2))

/** Failure function of Knuth, Morris and Pratt for the secret. */
const fallbacks = (secret: string): Uint16Array => {
  const table = new Uint16Array(secret.length)
  for (let at = 1, matched = 0; at < secret.length; at++) {
    while (matched > 0 && secret[at] !== secret[matched]) matched = table[matched - 1] ?? 0
    if (secret[at] === secret[matched]) matched++
    table[at] = matched
  }
  return table
}

export interface Speller {
  /** Number of matched bytes of the secret after this text; `telling` or more is too much. */
  readonly follow: (matched: number, text: string) => number
  readonly telling: number
  /** Of the secret. */
  readonly length: number
}

export const createSpeller = (secret: string): Speller => {
  const table = fallbacks(secret)
  const codes = Uint16Array.from(secret, (letter) => letter.charCodeAt(0))
  const telling = tellingLength(secret)
  return {
    telling,
    length: secret.length,
    follow: (before, text) => {
      let matched = before
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        while (matched > 0 && code !== codes[matched]) matched = table[matched - 1] ?? 0
        if (code === codes[matched]) matched++
        if (matched >= telling) return matched
      }
      return matched
    },
  }
}

const backslash = 92

/** Offset of the closing quote of the text that begins at `from`; -1 if it continues. */
const textEnd = (line: string, from: number): number => {
  for (let end = line.indexOf('"', from); end >= 0; end = line.indexOf('"', end + 1)) {
    let slashes = 0
    while (line.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return -1
}

const decode = (text: string): string => {
  try {
    return String(parseScannedJson(`"${text}"`, jsonBounds.modelEvent))
  } catch {
    return text
  }
}

const skipTo = (text: string, at: number): number => {
  let from = at
  while (text[from] === ' ' || text[from] === ':') from++
  return from
}

/** The position of a text in a line, between its quotes. */
export interface Piece {
  readonly field: FieldWatch
  readonly from: number
  /** -1 if it continues in bytes that have not arrived. */
  readonly end: number
}

/** Tracks one field of the events. */
export class FieldWatch {
  readonly #marker: string
  readonly #speller: Speller
  #matched = 0

  constructor(field: string, speller: Speller) {
    this.#marker = `"${field}"`
    this.#speller = speller
  }

  piecesIn(line: string): Piece[] {
    const found: Piece[] = []
    for (let at = line.indexOf(this.#marker); at >= 0; at = line.indexOf(this.#marker, at)) {
      at = skipTo(line, at + this.#marker.length)
      if (line[at] !== '"') continue
      const end = textEnd(line, at + 1)
      found.push({ field: this, from: at + 1, end })
      if (end < 0) break
      at = end
    }
    return found
  }

  /** True once too much of the secret was sent. */
  hear(piece: string): boolean {
    this.#matched = this.#follow(piece)
    return this.#matched >= this.#speller.telling
  }

  /** The same for an incomplete text that is checked again when it is complete. */
  overhear(piece: string): boolean {
    return this.#follow(piece) >= this.#speller.telling
  }

  /** A secret within one text is found earlier; only the end of a long text can begin a secret. */
  #follow(piece: string): number {
    const { follow, length } = this.#speller
    if (piece.includes('\\')) return follow(this.#matched, decode(piece))
    return piece.length <= length ? follow(this.#matched, piece) : follow(0, piece.slice(-length))
  }
}
