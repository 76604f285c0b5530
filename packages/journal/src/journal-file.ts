// The open file of a journal: looked at before each append, put right after a failed write, left alone while it is not ours.
import type { FileHandle } from 'node:fs/promises'
import type { Head } from './chain.ts'
import { checkFile, unwritable } from './guard.ts'
import { type Read, readFrom } from './lines.ts'
import { type Doubt, repair, type Sound } from './repair.ts'

export interface Opened extends Sound {
  readonly path: string
  readonly handle: FileHandle
  /** Something follows the last whole line. */
  readonly torn: boolean
}

export class JournalFile {
  readonly #path: string
  #handle: FileHandle
  #sound: Sound
  #doubt: Doubt | undefined

  constructor({ path, handle, torn, ...sound }: Opened) {
    this.#path = path
    this.#handle = handle
    this.#sound = sound
    this.#doubt = torn ? { kind: 'torn' } : undefined
  }

  /** Bytes that are on disk for good. */
  get size(): number {
    return this.#sound.size
  }

  readonly read: Read = (position, length) => readFrom(this.#handle)(position, length)

  close(): Promise<void> {
    return this.#handle.close()
  }

  /**
   * Throws `audit-unwritable` unless the file is what it was left as, or could be made so. The name of the file
   * that keeps what was cut off, if any was.
   */
  async makeSound(): Promise<string | undefined> {
    if (this.#doubt !== undefined) return this.#repair(this.#doubt)
    try {
      checkFile(this.#path, this.#sound)
    } catch (error) {
      this.#doubt = { kind: 'altered' }
      throw error
    }
    return undefined
  }

  /** On disk when it resolves; if it rejects, the bytes are taken back before the next append. */
  async append(bytes: Buffer, head: Head): Promise<void> {
    try {
      for (let written = 0; written < bytes.length;) written += (await this.#handle.write(bytes, written)).bytesWritten
      await this.#handle.datasync()
    } catch (error) {
      this.#doubt = { kind: 'unfinished', bytes }
      // If this fails too, the next append tries again.
      await this.#repair(this.#doubt).catch(() => {})
      throw unwritable(
        `${this.#path}: the journal cannot be written`,
        'free disk space or mend the disk; appending goes on by itself',
        error,
      )
    }
    this.#sound = { ...this.#sound, size: this.#sound.size + bytes.length, head }
  }

  async #repair(doubt: Doubt): Promise<string | undefined> {
    const { handle, identity, kept } = await repair(this.#sound, { path: this.#path, doubt })
    const old = this.#handle
    this.#handle = handle
    this.#sound = { ...this.#sound, identity }
    this.#doubt = undefined
    await old.close()
    return kept
  }
}
