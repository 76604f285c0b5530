// Follows the texts in the events of a stream. Events of a stream differ only in their text: the frame of one event is
// compared with the next, and only an event of another shape is parsed field by field.
import { jsonBounds } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import { type Body, objectOf, type Usage } from '../formats/format.ts'
import type { FieldWatch, Piece } from './pieces.ts'

/** A line without the text in it. */
interface Frame {
  readonly field: FieldWatch
  readonly before: string
  /** The part from the closing quote of the text to the end of the line. */
  readonly behind: string
}

const d = 100
const newline = 10

export class EventReader {
  readonly #meter: UsageMeter
  readonly #fields: readonly FieldWatch[]
  #frame: Frame | undefined

  constructor(meter: UsageMeter, fields: readonly FieldWatch[]) {
    this.#meter = meter
    this.#fields = fields
  }

  /** True once too much of the secret was sent. @param lines complete lines */
  tells(lines: string): boolean {
    for (let at = 0; at < lines.length;) {
      const code = lines.charCodeAt(at)
      if (code === newline) {
        at += 1
        continue
      }
      const like = code === d ? this.#likeTheLast(lines, at) : undefined
      if (like === -1) return true
      const end = like ?? lines.indexOf('\n', at) + 1
      // Clients assemble texts only from data lines.
      if (like === undefined && code === d && this.#lookThrough(lines.slice(at, end))) return true
      at = end
    }
    return false
  }

  /** The same for an incomplete line. */
  overhears(rest: string): boolean {
    return this.#fields.some((field) =>
      field.piecesIn(rest).some(({ from, end }) => field.overhear(rest.slice(from, end < 0 ? undefined : end))),
    )
  }

  /** Offset after the line; -1 where it reveals too much; undefined where it has another shape. */
  #likeTheLast(lines: string, at: number): number | undefined {
    const frame = this.#frame
    if (frame === undefined) return undefined
    const from = at + frame.before.length
    // Much faster than `startsWith`, which compares character by character.
    if (lines.slice(at, from) !== frame.before) return undefined
    const end = lines.indexOf('"', from)
    if (end < 0 || lines.slice(end, end + frame.behind.length) !== frame.behind) return undefined
    const piece = lines.slice(from, end)
    // An escaped quote does not end a text.
    if (piece.includes('\\')) return undefined
    return frame.field.hear(piece) ? -1 : end + frame.behind.length
  }

  #lookThrough(line: string): boolean {
    const isCount = this.#meter.read(line)
    const pieces = this.#fields.flatMap((field) => field.piecesIn(line))
    const [only] = pieces
    this.#frame = !isCount && only !== undefined && pieces.length === 1 ? this.#learn(line, only) : this.#frame
    return pieces.some(({ field, from, end }) => field.hear(line.slice(from, end)))
  }

  #learn(line: string, { field, from, end }: Piece): Frame {
    return { field, before: line.slice(0, from), behind: line.slice(end) }
  }
}

/** Finds token counts in the lines of a stream. Most lines have none and are not parsed. */
export interface UsageFormat {
  readonly usageField: string
  usage(answer: Body): Usage
}

const parse = (line: string): Body => {
  try {
    return objectOf(parseJson(Buffer.from(line.slice(line.indexOf(':') + 1), 'latin1'), jsonBounds.modelEvent))
  } catch {
    // A truncated, invalid or too large line is not parsed: its usage is estimated from its bytes.
    return {}
  }
}

const lineAround = (text: string, at: number): string => {
  const end = text.indexOf('\n', at)
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end)
}

export class UsageMeter {
  readonly #format: UsageFormat
  readonly #marker: string
  #first: string | undefined
  #last: string | undefined

  constructor(format: UsageFormat) {
    this.#format = format
    this.#marker = `"${format.usageField}"`
  }

  /** Whether a count was found. @param text complete lines */
  read(text: string): boolean {
    let isFound = false
    for (let at = text.indexOf(this.#marker); at >= 0; at = text.indexOf(this.#marker, at)) {
      at += this.#marker.length
      if (!this.#isCount(text, at)) continue
      const line = lineAround(text, at)
      this.#first ??= line
      this.#last = line
      isFound = true
    }
    return isFound
  }

  /** The last value of each count wins, including counts that only the first event has. */
  get usage(): Usage {
    const of = (line: string | undefined): Usage => (line === undefined ? {} : this.#format.usage(parse(line)))
    return { ...of(this.#first), ...of(this.#last) }
  }

  /** Providers with requested usage have the field in each event, null until the last. */
  #isCount(text: string, from: number): boolean {
    let at = from
    while (text[at] === ' ' || text[at] === ':') at++
    return text[at] === '{'
  }
}
