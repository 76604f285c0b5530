// Empties and removes directories that an agent filled, of any depth, and recognizes errors of a full disk.
import { randomBytes } from 'node:crypto'
import { chmod, readdir, rename, rmdir, unlink } from 'node:fs/promises'

/** Whether a disk had no room left: Node says it by a code, programs say it in words. */
const words = 'No space left'

/** Where a program said it, however much else it said. */
export const saysNoSpace = (said: string): boolean => /: No space left on device(?: |$)/m.test(said)

export const isNoSpace = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOSPC'

/** In the words by which whoever launches knows it: Node's own are others. */
export const inWords = (error: unknown): unknown => {
  if (!(error instanceof Error) || !isNoSpace(error) || error.message.includes(words)) return error
  return Object.assign(new Error(`${words}: ${error.message}`, { cause: error }), { code: 'ENOSPC' })
}

/** A name may be no text. */
const below = (directory: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${directory}/`), name])

/** Of how many directories it is borne that a name came after all were removed: a copy that outlived who began it has no more. */
const mostLate = 64

const isLate = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY'

class Removal {
  readonly #top: string
  readonly #own: string
  readonly #waiting: string[] = []
  #count = 0
  /** How many directories in turn had to wait for room. */
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

  /** Whoever still found it by its old path may have made one name more in it; nobody finds it by the new one. */
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

  /** False when there was no room for one more name at the top: what waits there already gives some. */
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
      // Only who may write to a directory may move it elsewhere.
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

/** What lies deeper comes up, each under a name of ours, until nothing is left. Nobody may use it any more; no link is followed. */
export const emptyTree = (top: string, keeps: readonly string[] = []): Promise<void> => new Removal(top).run(keeps)

export const removeTree = async (top: string): Promise<void> => {
  await emptyTree(top)
  await rmdir(top)
}
