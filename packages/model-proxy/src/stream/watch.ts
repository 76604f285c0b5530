// Watches a stream while its bytes pass: counts, blanks the key, and says when too much of the key was told.
import { limits } from '@gatehouse/contracts'
import type { Format } from '../formats/format.ts'
import { Blank, shortestSecret } from './blank.ts'
import { createSpeller, FieldWatch, type Speller } from './pieces.ts'
import { UsageMeter } from './usage-meter.ts'

export type Watched = { readonly bytes: Buffer } | { readonly fault: 'leak' | 'endless-line' }

/** A line that goes on is looked at in whole up to here, beyond it at its end alone. */
const openLine = 4096

export class StreamWatch {
  readonly meter: UsageMeter
  readonly #blank: Blank | undefined
  readonly #speller: Speller | undefined
  readonly #fields: readonly FieldWatch[]
  /** The line that has not ended. */
  #rest: string[] = []
  #restLength = 0

  constructor(format: Format, secret: string | null) {
    this.meter = new UsageMeter(format)
    if (secret === null || secret.length < shortestSecret) {
      this.#fields = []
      return
    }
    const speller = createSpeller(secret)
    this.#blank = new Blank(secret)
    this.#speller = speller
    this.#fields = format.pieces.map((field) => new FieldWatch(field, speller))
  }

  /** An event ends where a line ends: what is added in the middle of one could not be read. */
  get isInLine(): boolean {
    return this.#restLength > 0
  }

  push(chunk: Buffer): Watched {
    const bytes = this.#blank === undefined ? chunk : this.#blank.push(chunk)
    const text = bytes.toString('latin1')
    const last = text.lastIndexOf('\n')
    if (last >= 0 && this.#tellsLines(this.#takeLines(text, last + 1))) return { fault: 'leak' }
    this.#keep(last < 0 ? text : text.slice(last + 1))
    if (this.#restLength > limits.modelWhole) return { fault: 'endless-line' }
    return this.#tellsRest() ? { fault: 'leak' } : { bytes }
  }

  end(): Buffer | undefined {
    if (this.#restLength > 0) this.meter.read(this.#rest.join(''))
    return this.#blank?.end()
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

  #tellsLines(lines: string): boolean {
    this.meter.read(lines)
    return this.#fields.some((field) => field.tells(lines, true))
  }

  #tellsRest(): boolean {
    if (this.#speller === undefined || this.#restLength === 0) return false
    if (this.#restLength <= openLine) {
      const rest = this.#rest.join('')
      return this.#fields.some((field) => field.tells(rest, false))
    }
    const { follow, telling, length } = this.#speller
    const end = this.#rest.slice(-length).join('').slice(-2 * length)
    return follow(0, end) >= telling
  }
}
