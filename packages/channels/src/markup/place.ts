// Where things stand in the text that was read: the parser names lines, and takes marks and indents off their beginnings.

import type { Line } from './tree.ts'

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

/** Where this end of a line begins. Its last white space may be missing, and marks may stand behind it. */
export const placeIn = (source: Source, line: number, ending: string): number => {
  const start = startOf(source, line)
  const whole = source.text.slice(start, startOf(source, line + 1)).trimEnd()
  const found = whole.lastIndexOf(ending.trimEnd())
  return start + (found < 0 ? Math.max(0, whole.length - ending.trimEnd().length) : found)
}

/** Finds what was read of a paragraph, in its order. */
export class Cursor {
  /** Of the paragraph. */
  readonly content: string
  readonly #lines: readonly { readonly from: number; readonly at: number }[]
  #position = 0

  /** `content` begins in `line`. */
  constructor(source: Source, content: string, line: number) {
    this.content = content
    let from = 0
    this.#lines = content.split('\n').map((text, index) => {
      const here = { from, at: placeIn(source, line + index, text) }
      from += text.length + 1
      return here
    })
  }

  /** In `content`; what stands before it was found. */
  get position(): number {
    return this.#position
  }

  /** Where it begins; the cursor is behind it then. What is not found stands where the cursor is. */
  find(written: string): number {
    const found = this.content.indexOf(written, this.#position)
    const at = found < 0 ? this.#position : found
    if (found >= 0) this.#position = found + written.length
    return this.#toSource(at)
  }

  /** Code has a blank where its line ended. */
  findCode(code: string): Line[] {
    const found = this.content.replaceAll('\n', ' ').indexOf(code, this.#position)
    if (found < 0) return [{ text: code, at: this.#toSource(this.#position) }]
    return this.take(found, found + code.length)
  }

  /** What was written from there to here; the cursor is behind it then. Line by line, each with its end. */
  take(from: number, to: number): Line[] {
    const lines: Line[] = []
    for (let at = from; at < to;) {
      const end = this.content.indexOf('\n', at)
      const next = end < 0 || end >= to ? to : end + 1
      lines.push({ text: this.content.slice(at, next), at: this.#toSource(at) })
      at = next
    }
    this.#position = Math.max(this.#position, to)
    return lines
  }

  #toSource(position: number): number {
    const { from, at } = this.#lines.findLast((line) => line.from <= position) ?? { from: 0, at: 0 }
    return at + position - from
  }
}
