// The size of attachments that fit into one e-mail, learned from refusals of the mail server and forgotten after an hour.
import { limits } from '@gatehouse/contracts'

/** Size in base64 with line ends. */
const encodedSize = (bytes: number): number => Math.ceil(bytes / 57) * 78

/** Allowance for message and part headers. */
const heads = 8 * 1024

/** Upper bound of the e-mail's size in bytes. Quoted-printable is at worst four times the UTF-8 size, including line ends. */
export const sizeOf = (text: string, files: readonly Uint8Array[]): number =>
  files.reduce((sum, { length }) => sum + encodedSize(length), heads + Buffer.byteLength(text) * 4)

/** Bytes of attachments that fit beside this text into an e-mail of `most` bytes. */
const filesWithin = (most: number, text: string): number => Math.max(0, Math.floor((most - sizeOf(text, [])) / 78 - limits.sentFiles)) * 57

export interface TooLarge {
  readonly text: string
  readonly files: readonly Uint8Array[]
  /** Maximum e-mail size in bytes; undefined if the server did not announce it. */
  readonly most: number | undefined
}

export class MessageSizeLimit {
  readonly #forgets: number
  #size: number = limits.sentBytes
  #until = 0

  constructor(forgets: number = limits.emailSizeKept) {
    this.#forgets = forgets
  }

  /** Bytes of attachments. */
  get size(): number {
    return performance.now() < this.#until ? this.#size : limits.sentBytes
  }

  /** The new limit is always below the size that was refused. */
  learn({ text, files, most }: TooLarge): void {
    const held = files.reduce((sum, { length }) => sum + length, 0)
    this.#size = Math.min(held - 1, most === undefined ? held - 1 : filesWithin(most, text))
    this.#until = performance.now() + this.#forgets
  }
}
