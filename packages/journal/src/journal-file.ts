// The open file of a journal: looked at before each append, put right after a failed write, left alone while it is not ours.
import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Head } from './chain.ts'
import { checkFile, unwritable } from './guard.ts'
import { type Read, readFrom } from './lines.ts'
import { type Doubt, repair, type Sound } from './repair.ts'
import { giveBack, settleNames, type Turned, turnOver } from './turn-over.ts'

export interface Opened extends Sound {
  readonly path: string
  readonly handle: FileHandle
  /** Something follows the last whole line. */
  readonly torn: boolean
}

export interface JournalFileOptions {
  /** The disk took no more: true if there is room now. */
  readonly makeRoom: () => Promise<boolean>
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

export class JournalFile {
  readonly #path: string
  readonly #makeRoom: () => Promise<boolean>
  #handle: FileHandle
  #sound: Sound
  #doubt: Doubt | undefined
  /** The names of the files may not last: where the present one lies, if it is not in its place. */
  #names: { readonly astray: string | undefined } | undefined

  constructor({ path, handle, torn, ...sound }: Opened, { makeRoom }: JournalFileOptions) {
    this.#path = path
    this.#makeRoom = makeRoom
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
    if (this.#names !== undefined) {
      await settleNames(this.#path, this.#names.astray)
      this.#names = undefined
    }
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
      await this.#put(bytes).catch(async (error: unknown) => {
        if (!isFull(error) || !(await this.#makeRoom())) throw error
        await this.#takeBack(bytes)
        await this.#put(bytes)
      })
    } catch (error) {
      // If this fails, too, the next append tries again.
      await this.#takeBack(bytes).catch(() => {})
      throw unwritable(
        `${this.#path}: the journal cannot be written`,
        'free disk space or mend the disk; appending goes on by itself',
        error,
      )
    }
    this.#sound = { ...this.#sound, size: this.#sound.size + bytes.length, head }
  }

  /**
   * Closes the file under the name `to` and goes on with a new one that begins with `bytes`. If it rejects, the
   * present file goes on; its name is seen to before the next append.
   */
  async rotate(to: string, bytes: Buffer, head: Head): Promise<{ handle: FileHandle; sound: Sound }> {
    let turned: Turned
    try {
      turned = await turnOver(this.#path, to, bytes)
    } catch (error) {
      this.#names = { astray: await giveBack(this.#path, to, this.#sound.identity) }
      throw error
    }
    const closed = { handle: this.#handle, sound: this.#sound }
    this.#handle = turned.handle
    this.#sound = { identity: turned.identity, size: bytes.length, head }
    if (!turned.lasting) this.#names = { astray: undefined }
    return closed
  }

  /** A write to the page cache takes microseconds; a trip to the thread pool would take ten times as long. */
  async #put(bytes: Buffer): Promise<void> {
    const { fd } = this.#handle
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
    await this.#handle.datasync()
  }

  async #takeBack(bytes: Buffer): Promise<void> {
    this.#doubt = { kind: 'unfinished', bytes }
    await this.#repair(this.#doubt)
  }

  async #repair(doubt: Doubt): Promise<string | undefined> {
    const again = (): ReturnType<typeof repair> => repair(this.#sound, { path: this.#path, doubt })
    const { handle, identity, kept } = await again().catch(async (error: unknown) => {
      // What is cut off is kept beside the journal, which takes room.
      if (!(error instanceof Error) || !isFull(error.cause) || !(await this.#makeRoom())) throw error
      return again()
    })
    const old = this.#handle
    this.#handle = handle
    this.#sound = { ...this.#sound, identity }
    this.#doubt = undefined
    await old.close()
    return kept
  }
}
