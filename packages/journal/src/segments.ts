// The closed files of a journal, oldest first: none may be missing, exchanged or altered while lines are added.
import { isServiceError } from '@gatehouse/contracts'
import { genesis, type Head } from './chain.ts'
import { unwritable } from './guard.ts'
import { rotatedNumbers, rotatedPath } from './rotated.ts'
import { type Closed, Segment, surveyFile } from './segment.ts'

const putBack = 'put the file back, or a copy of it to the last byte; appending goes on by itself'

/** What is there, and why that is not all of it. */
interface Survey {
  readonly files: readonly Closed[]
  readonly fault: Error | undefined
}

const missing = (path: string): Error => unwritable(`${path}: expected a closed file of the journal, found none`, putBack)

const follows = ({ path, before }: Pick<Closed, 'path' | 'before'>, { seq, hash }: Head): Error | undefined =>
  before.seq === seq && before.hash === hash
    ? undefined
    : unwritable(`${path}: expected to begin behind line ${seq} of the file before it, begins with line ${before.seq + 1}`, putBack)

/**
 * Every file is read at both ends, each must go on where the one before it ends.
 *
 * @param before what the first line of the present file follows; undefined while it is empty
 */
const survey = async (path: string, before: Head | undefined): Promise<Survey> => {
  const files: Closed[] = []
  let fault: Error | undefined
  let head: Head = genesis
  for (const [index, number] of (await rotatedNumbers(path)).entries()) {
    const name = rotatedPath(path, number)
    if (number !== index + 1) fault ??= missing(rotatedPath(path, index + 1))
    try {
      const file = await surveyFile(name, number)
      fault ??= follows(file, head)
      files.push(file)
      head = file.last
    } catch (error) {
      fault ??= error instanceof Error ? error : missing(name)
    }
  }
  if (before !== undefined) fault ??= follows({ path, before }, head)
  return { files, fault }
}

export class Segments {
  readonly #path: string
  #all: Segment[]
  /** What the survey found at the start. */
  #fault: Error | undefined
  /** Files that were not what they must be when they were last looked at. */
  readonly #doubted = new Set<Segment>()
  #before: Head | undefined
  #next = 0

  private constructor(path: string, before: Head | undefined, { files, fault }: Survey) {
    this.#path = path
    this.#before = before
    this.#all = files.map((file) => new Segment(file))
    this.#fault = fault
  }

  /** @param before what the first line of the present file follows; undefined while it is empty */
  static async open(path: string, before: Head | undefined): Promise<Segments> {
    return new Segments(path, before, await survey(path, before))
  }

  get all(): readonly Segment[] {
    return this.#all
  }

  /** The number that the present file will have. */
  get nextNumber(): number {
    return (this.#all.at(-1)?.number ?? 0) + 1
  }

  find(number: number): Segment | undefined {
    return this.#all.findLast((segment) => segment.number === number)
  }

  add(segment: Segment): void {
    this.#all.push(segment)
    this.#before = segment.last
  }

  /** Looks at one file, each time at the next: throws `audit-unwritable` while one is not what it was closed as. */
  async makeSound(): Promise<void> {
    try {
      if (this.#fault !== undefined) await this.#surveyAgain()
      for (const segment of this.#doubted) {
        await segment.accept()
        this.#doubted.delete(segment)
      }
      this.#lookAtNext()
    } catch (error) {
      if (isServiceError(error)) throw error
      throw unwritable(`${this.#path}: the closed files of the journal cannot be read`, 'mend the disk; appending goes on by itself', error)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((segment) => segment.close()))
  }

  #lookAtNext(): void {
    const segment = this.#all[this.#next++ % Math.max(1, this.#all.length)]
    try {
      segment?.check()
    } catch (error) {
      if (segment !== undefined) this.#doubted.add(segment)
      throw error
    }
  }

  async #surveyAgain(): Promise<void> {
    const { files, fault } = await survey(this.#path, this.#before)
    if (fault !== undefined) throw fault
    const old = this.#all
    this.#all = files.map((file) => new Segment(file))
    this.#fault = undefined
    await Promise.all(old.map((segment) => segment.close()))
  }
}
