// The open file of a journal. It is checked before each append, repaired after a failed write, and not touched while it is another file.
import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Head } from './chain.ts'
import { checkFile, unwritable } from './guard.ts'
import { type Read, readFrom } from './lines.ts'
import { type SuspectedFault, repair, type IntactState } from './repair.ts'
import { undoRotation, restoreNames, type RotatedFile, rotateFile } from './rotate-file.ts'

export interface Opened extends IntactState {
  readonly path: string
  readonly handle: FileHandle
  /** Whether bytes follow the last complete line. */
  readonly torn: boolean
}

export interface JournalFileOptions {
  /** Called when the disk is full. Resolves to true if space was freed. */
  readonly makeRoom: () => Promise<boolean>
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

export class JournalFile {
  readonly #path: string
  readonly #makeRoom: () => Promise<boolean>
  #handle: FileHandle
  #sound: IntactState
  #suspectedFault: SuspectedFault | undefined
  /** Set after an incomplete rotation; `astray` is the path of the current file if it is not at its own. */
  #rotationFault: { readonly astray: string | undefined } | undefined

  constructor({ path, handle, torn, ...sound }: Opened, { makeRoom }: JournalFileOptions) {
    this.#path = path
    this.#makeRoom = makeRoom
    this.#handle = handle
    this.#sound = sound
    this.#suspectedFault = torn ? { kind: 'torn' } : undefined
  }

  /** Bytes that are durably on disk. */
  get size(): number {
    return this.#sound.size
  }

  readonly read: Read = (position, length) => readFrom(this.#handle)(position, length)

  close(): Promise<void> {
    return this.#handle.close()
  }

  /**
   * Rejects with `audit-unwritable` unless the file is unchanged or could be repaired. Resolves to the name of the file to which a torn
   * end was moved, if there was one.
   */
  async makeSound(): Promise<string | undefined> {
    if (this.#rotationFault !== undefined) {
      await restoreNames(this.#path, this.#rotationFault.astray)
      this.#rotationFault = undefined
    }
    if (this.#suspectedFault !== undefined) return this.#repair(this.#suspectedFault)
    try {
      checkFile(this.#path, this.#sound)
    } catch (error) {
      this.#suspectedFault = { kind: 'altered' }
      throw error
    }
    return undefined
  }

  /** The bytes are on disk when it resolves. If it rejects, they are removed before the next append. */
  async append(bytes: Buffer, head: Head): Promise<void> {
    try {
      await this.#writeAndSync(bytes).catch(async (error: unknown) => {
        if (!isFull(error) || !(await this.#makeRoom())) throw error
        await this.#undoAppend(bytes)
        await this.#writeAndSync(bytes)
      })
    } catch (error) {
      // If this fails too, the next append tries again.
      await this.#undoAppend(bytes).catch(() => {})
      throw unwritable(`${this.#path}: cannot write the journal`, 'free disk space or repair the disk; appends resume automatically', error)
    }
    this.#sound = { ...this.#sound, size: this.#sound.size + bytes.length, head }
  }

  /**
   * Closes the file under the name `to` and continues with a new one that begins with `bytes`. If it rejects, the current file stays in
   * use; its name is restored before the next append.
   */
  async rotate(to: string, bytes: Buffer, head: Head): Promise<{ handle: FileHandle; sound: IntactState }> {
    let turned: RotatedFile
    try {
      turned = await rotateFile(this.#path, to, bytes)
    } catch (error) {
      this.#rotationFault = { astray: await undoRotation(this.#path, to, this.#sound.identity) }
      throw error
    }
    const closed = { handle: this.#handle, sound: this.#sound }
    this.#handle = turned.handle
    this.#sound = { identity: turned.identity, size: bytes.length, head }
    if (!turned.lasting) this.#rotationFault = { astray: undefined }
    return closed
  }

  /** A write to the page cache takes microseconds; a trip to the thread pool would take ten times as long. */
  async #writeAndSync(bytes: Buffer): Promise<void> {
    const { fd } = this.#handle
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
    await this.#handle.datasync()
  }

  async #undoAppend(bytes: Buffer): Promise<void> {
    this.#suspectedFault = { kind: 'unfinished', bytes }
    await this.#repair(this.#suspectedFault)
  }

  async #repair(fault: SuspectedFault): Promise<string | undefined> {
    const again = (): ReturnType<typeof repair> => repair(this.#sound, { path: this.#path, fault })
    const { handle, identity, kept } = await again().catch(async (error: unknown) => {
      // The torn end is copied beside the journal, which needs space.
      if (!(error instanceof Error) || !isFull(error.cause) || !(await this.#makeRoom())) throw error
      return again()
    })
    const old = this.#handle
    this.#handle = handle
    this.#sound = { ...this.#sound, identity }
    this.#suspectedFault = undefined
    await old.close()
    return kept
  }
}
