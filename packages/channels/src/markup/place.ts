// Where things stand in the text that was read: the parser names lines, and takes marks and indents off their beginnings.

export interface Source {
  readonly text: string
  /** Where each line begins. */
  readonly starts: readonly number[]
}

export const sourceOf = (text: string): Source => ({
  text,
  starts: [0, ...[...text.matchAll(/\r\n?|\n/g)].map(({ index, 0: { length } }) => index + length)],
})

/** Of the line; beyond the last one the end. */
export const startOf = ({ text, starts }: Source, line: number): number => starts[line] ?? text.length

/** Where this end of a line begins. Its last white space may be missing. */
export const placeIn = (source: Source, line: number, ending: string): number => {
  const start = startOf(source, line)
  const whole = source.text.slice(start, startOf(source, line + 1)).trimEnd()
  return start + Math.max(0, whole.length - ending.trimEnd().length)
}

/** Finds what was read of a paragraph, in its order. */
export class Cursor {
  readonly #content: string
  readonly #lines: readonly { readonly from: number; readonly at: number }[]
  #position = 0
  #line = 0

  /** `content` begins in `line`. */
  constructor(source: Source, content: string, line: number) {
    this.#content = content
    let from = 0
    this.#lines = content.split('\n').map((text, index) => {
      const here = { from, at: placeIn(source, line + index, text) }
      from += text.length + 1
      return here
    })
  }

  /** Where it begins; the cursor is behind it then. What is not found stands where the cursor is. */
  find(written: string): number {
    const found = this.#content.indexOf(written, this.#position)
    const at = found < 0 ? this.#position : found
    if (found >= 0) this.#position = found + written.length
    return this.#toSource(at)
  }

  get here(): number {
    return this.#toSource(this.#position)
  }

  #toSource(position: number): number {
    while ((this.#lines[this.#line + 1]?.from ?? Infinity) <= position) this.#line += 1
    const { from, at } = this.#lines[this.#line] ?? { from: 0, at: 0 }
    return at + position - from
  }
}
