// Follows the texts of a stream's events. Events of one stream are alike but for the text in them: what was learnt of one is
// compared with the next, and only an event of another shape is looked through field by field.
import type { FieldWatch, Piece } from './pieces.ts'
import type { UsageMeter } from './usage-meter.ts'

/** A line, but for the one text in it. */
interface Frame {
  readonly field: FieldWatch
  readonly before: string
  /** From the quote that ends the text to the end of the line. */
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

  /** True once too much of the secret was told. @param lines whole ones */
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
      // What is no data reaches nobody who puts texts together.
      if (like === undefined && code === d && this.#lookThrough(lines.slice(at, end))) return true
      at = end
    }
    return false
  }

  /** The same for a line that has not ended. */
  overhears(rest: string): boolean {
    return this.#fields.some((field) =>
      field.piecesIn(rest).some(({ from, end }) => field.overhear(rest.slice(from, end < 0 ? undefined : end))),
    )
  }

  /** Offset behind the line; -1 where it tells too much; undefined where it is of another shape. */
  #likeTheLast(lines: string, at: number): number | undefined {
    const frame = this.#frame
    if (frame === undefined) return undefined
    const from = at + frame.before.length
    // Much faster than `startsWith`, which compares letter by letter.
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
