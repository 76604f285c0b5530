// Finds a secret that is told piece by piece, each in an event of its own, by following how far the texts of the events have
// spelled it. It never holds a byte back: what would tell the rest is not passed on.
import { jsonBounds } from '@gatehouse/contracts'
import { parseScannedJson } from '@gatehouse/kernel'

/** So much of a secret may pass before it is known for one: the beginnings of keys are no secret. */
const tellingLength = (secret: string): number => Math.min(20, Math.ceil(secret.length / 2))

/** Knuth, Morris and Pratt: how far the secret is spelled again when it goes on otherwise. */
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
  /** How far the secret is spelled after this text, having been spelled so far before it; `telling` or more is too much. */
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

/** Offset of the quote that ends the text that begins at `from`; -1 where it goes on. */
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

/** Where a text stands in a line: between its quotes. */
export interface Piece {
  readonly field: FieldWatch
  readonly from: number
  /** -1: it goes on in what has not come yet. */
  readonly end: number
}

/** Follows one field of the events. */
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

  /** True once too much of the secret was spelled. */
  hear(piece: string): boolean {
    this.#matched = this.#follow(piece)
    return this.#matched >= this.#speller.telling
  }

  /** The same for a text that will be heard once more when it is whole. */
  overhear(piece: string): boolean {
    return this.#follow(piece) >= this.#speller.telling
  }

  /** A secret that lies whole in one text is found before; of a long text only its end can be the beginning of one. */
  #follow(piece: string): number {
    const { follow, length } = this.#speller
    if (piece.includes('\\')) return follow(this.#matched, decode(piece))
    return piece.length <= length ? follow(this.#matched, piece) : follow(0, piece.slice(-length))
  }
}
