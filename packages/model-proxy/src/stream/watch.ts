// Processes the bytes of a stream: counts tokens, redacts the key, and reports when too much of the key was sent in pieces.
import { limits } from '@gatehouse/contracts'
import type { Format } from '../formats/format.ts'
import { EventReader, UsageMeter } from './frame.ts'
import { Blank, shortestSecret } from './headers.ts'
import { createSpeller, FieldWatch, type Speller } from './pieces.ts'

export type Watched = { readonly bytes: Buffer } | { readonly fault: 'leak' | 'endless-line' }

/** An incomplete line up to this length is checked completely; of a longer one only the end is checked. */
const openLine = 4096

interface Guard {
  readonly blank: Blank
  readonly speller: Speller
  readonly reader: EventReader
}

const createGuard = (format: Format, meter: UsageMeter, secret: string): Guard => {
  const speller = createSpeller(secret)
  const fields = format.pieces.map((field) => new FieldWatch(field, speller))
  return { blank: new Blank(secret), speller, reader: new EventReader(meter, fields) }
}

export class StreamWatch {
  readonly meter: UsageMeter
  readonly #guard: Guard | undefined
  /** The incomplete line. */
  #rest: string[] = []
  #restLength = 0

  constructor(format: Format, secret: string | null) {
    this.meter = new UsageMeter(format)
    this.#guard = secret === null || secret.length < shortestSecret ? undefined : createGuard(format, this.meter, secret)
  }

  /** An event ends at the end of a line: text added within a line could not be parsed. */
  get isInLine(): boolean {
    return this.#restLength > 0
  }

  push(chunk: Buffer): Watched {
    const bytes = this.#guard === undefined ? chunk : this.#guard.blank.push(chunk)
    const text = bytes.toString('latin1')
    const last = text.lastIndexOf('\n')
    if (last >= 0 && this.#readLines(this.#takeLines(text, last + 1))) return { fault: 'leak' }
    this.#keep(last < 0 ? text : text.slice(last + 1))
    if (this.#restLength > limits.modelWhole) return { fault: 'endless-line' }
    return this.#tellsRest() ? { fault: 'leak' } : { bytes }
  }

  end(): Buffer | undefined {
    if (this.#restLength > 0) this.meter.read(this.#rest.join(''))
    return this.#guard?.blank.end()
  }

  #takeLines(text: string, end: number): string {
    const lines = this.#restLength === 0 ? text.slice(0, end) : `${this.#rest.join('')}${text.slice(0, end)}`
    this.#rest = []
    this.#restLength = 0
    return lines
  }

  #keep(text: string): void {
    if (text.length === 0) return
    this.#rest.push(text)
    this.#restLength += text.length
  }

  #readLines(lines: string): boolean {
    if (this.#guard !== undefined) return this.#guard.reader.tells(lines)
    this.meter.read(lines)
    return false
  }

  #tellsRest(): boolean {
    if (this.#guard === undefined || this.#restLength === 0) return false
    const { reader, speller } = this.#guard
    if (this.#restLength <= openLine) return reader.overhears(this.#rest.join(''))
    const end = this.#rest
      .slice(-speller.length)
      .join('')
      .slice(-2 * speller.length)
    return speller.follow(0, end) >= speller.telling
  }
}
