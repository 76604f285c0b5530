// Empties and removes directories that an agent filled, at any depth, and recognizes errors of a full disk.
import { randomBytes } from 'node:crypto'
import { chmod, readdir, rename, rmdir, unlink } from 'node:fs/promises'

/** The message of programs for a full disk; Node uses a code. */
const noSpaceMessage = 'No space left'

/** Whether a program reported a full disk anywhere in its output. */
export const saysNoSpace = (said: string): boolean => /: No space left on device(?: |$)/m.test(said)

export const isNoSpace = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOSPC'

/** Converts an error of Node to the message of programs, by which a launch recognizes a full disk. */
export const inWords = (error: unknown): unknown => {
  if (!(error instanceof Error) || !isNoSpace(error) || error.message.includes(noSpaceMessage)) return error
  return Object.assign(new Error(`${noSpaceMessage}: ${error.message}`, { cause: error }), { code: 'ENOSPC' })
}

/** A name may not be valid UTF-8. */
const below = (directory: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${directory}/`), name])

/** Maximum number of directories in which an entry may appear after they were emptied. A copy that outlived its process causes no more. */
const mostLate = 64

const isLate = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY'

class Removal {
  readonly #top: string
  readonly #own: string
  readonly #waiting: string[] = []
  #count = 0
  /** Number of consecutive directories that had to wait for space. */
  #stuck = 0
  #late = 0

  constructor(top: string) {
    this.#top = top
    this.#own = `${top}/.${randomBytes(6).toString('hex')}`
  }

  async run(keeps: readonly string[]): Promise<void> {
    for (let directory: string | undefined = this.#top; directory !== undefined; directory = this.#waiting.pop()) {
      const done = await this.#clear(directory, directory === this.#top ? keeps : [])
      if (!done) this.#waiting.unshift(directory)
      else if (directory !== this.#top) await this.#leave(directory)
    }
  }

  /** A process with the old path may have created one more entry; no process has the new path. */
  async #leave(directory: string): Promise<void> {
    try {
      await this.#gone(rmdir(directory))
    } catch (error) {
      if (!isLate(error) || (this.#late += 1) > mostLate) throw error
      this.#waiting.push(directory)
    }
  }

  async #gone(act: Promise<void>): Promise<void> {
    await act
    this.#stuck = 0
  }

  /** False when there was no space for another entry at the top; removing what is there frees some. */
  async #clear(directory: string, keeps: readonly string[]): Promise<boolean> {
    const entries = await readdir(directory, { withFileTypes: true, encoding: 'buffer' })
    for (const entry of entries) if (!entry.isDirectory()) await this.#gone(unlink(below(directory, entry.name)))
    for (const entry of entries) {
      const isWaiting = directory === this.#top && this.#waiting.includes(`${directory}/${entry.name.toString()}`)
      if (!entry.isDirectory() || isWaiting || keeps.includes(entry.name.toString())) continue
      if (!(await this.#raise(below(directory, entry.name)))) return false
    }
    return true
  }

  async #raise(path: Buffer): Promise<boolean> {
    const next = `${this.#own}.${(this.#count += 1)}`
    try {
      // Moving a directory requires write permission on it.
      await chmod(path, 0o700)
      await rename(path, next)
      this.#waiting.push(next)
      return true
    } catch (error) {
      this.#stuck += 1
      if (!isNoSpace(error) || this.#stuck > this.#waiting.length) throw error
      return false
    }
  }
}

/** Moves nested directories to the top under unique names until nothing is left. The directory must not be in use; links are not followed. */
export const emptyTree = (top: string, keeps: readonly string[] = []): Promise<void> => new Removal(top).run(keeps)

export const removeTree = async (top: string): Promise<void> => {
  await emptyTree(top)
  await rmdir(top)
}
