// How many bytes of files one letter may hold, as far as the mail server has said: it is asked again after an hour.
import { limits } from '@gatehouse/contracts'

/** In base64, with the ends of lines. */
const inLetter = (bytes: number): number => Math.ceil(bytes / 57) * 78

/** Of the head, and of the head of each file. */
const heads = 8 * 1024

/** No letter has more bytes. Characters are at worst written as nine, with ends of lines between. */
export const sizeOf = (text: string, files: readonly Uint8Array[]): number =>
  files.reduce((sum, { length }) => sum + inLetter(length), heads + Buffer.byteLength(text) * 4)

/** Bytes of files beside this text in a letter of so many. */
const filesWithin = (most: number, text: string): number => Math.max(0, Math.floor((most - sizeOf(text, [])) / 78 - limits.sentFiles)) * 57

export interface TooLarge {
  readonly text: string
  readonly files: readonly Uint8Array[]
  /** Bytes of the largest letter; undefined where the server does not say. */
  readonly most: number | undefined
}

export class Room {
  readonly #forgets: number
  #size: number = limits.sentBytes
  #until = 0

  constructor(forgets: number = limits.emailSizeKept) {
    this.#forgets = forgets
  }

  /** Bytes. */
  get size(): number {
    return performance.now() < this.#until ? this.#size : limits.sentBytes
  }

  /** Less than was in this letter, in any case. */
  learn({ text, files, most }: TooLarge): void {
    const held = files.reduce((sum, { length }) => sum + length, 0)
    this.#size = Math.min(held - 1, most === undefined ? held - 1 : filesWithin(most, text))
    this.#until = performance.now() + this.#forgets
  }
}
