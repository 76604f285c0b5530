// The closed files of a journal, oldest first. Appends are refused while one of them is missing, replaced or altered.
import { isServiceError } from '@gatehouse/contracts'
import { genesis, type Head } from './chain.ts'
import { unwritable } from './guard.ts'
import { rotatedNumbers, rotatedPath } from './rotated.ts'
import { type Closed, Segment, describeSegment } from './segment.ts'

const restoreHint = 'put the file back, or an exact copy of it; appends resume automatically'

/** The closed files, and what is wrong with them. */
interface SegmentList {
  readonly files: readonly Closed[]
  readonly fault: Error | undefined
}

const missingError = (path: string): Error => unwritable(`${path}: the closed journal file is missing`, restoreHint)

const continuityFault = ({ path, before }: Pick<Closed, 'path' | 'before'>, { seq, hash }: Head): Error | undefined =>
  before.seq === seq && before.hash === hash
    ? undefined
    : unwritable(`${path}: the file begins with line ${before.seq + 1} and does not follow line ${seq} of the previous file`, restoreHint)

/**
 * Reads the first and last line of every file; each file must continue the previous one.
 *
 * @param before the head before the first line of the current file; undefined while that file is empty
 */
const listSegments = async (path: string, before: Head | undefined): Promise<SegmentList> => {
  const files: Closed[] = []
  let fault: Error | undefined
  let head: Head = genesis
  for (const [index, number] of (await rotatedNumbers(path)).entries()) {
    const name = rotatedPath(path, number)
    if (number !== index + 1) fault ??= missingError(rotatedPath(path, index + 1))
    try {
      const file = await describeSegment(name, number)
      fault ??= continuityFault(file, head)
      files.push(file)
      head = file.last
    } catch (error) {
      fault ??= error instanceof Error ? error : missingError(name)
    }
  }
  if (before !== undefined) fault ??= continuityFault({ path, before }, head)
  return { files, fault }
}

export class Segments {
  readonly #path: string
  #all: Segment[]
  /** The fault found at the start. */
  #fault: Error | undefined
  /** Files that failed their last check. */
  readonly #suspects = new Set<Segment>()
  #before: Head | undefined
  #next = 0

  private constructor(path: string, before: Head | undefined, { files, fault }: SegmentList) {
    this.#path = path
    this.#before = before
    this.#all = files.map((file) => new Segment(file))
    this.#fault = fault
  }

  /** @param before the head before the first line of the current file; undefined while that file is empty */
  static async open(path: string, before: Head | undefined): Promise<Segments> {
    return new Segments(path, before, await listSegments(path, before))
  }

  get all(): readonly Segment[] {
    return this.#all
  }

  /** The number that the current file gets when it is closed. */
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

  /** Checks one file per call, in rotation. Rejects with `audit-unwritable` while a closed file is altered. */
  async makeSound(): Promise<void> {
    try {
      if (this.#fault !== undefined) await this.#reload()
      for (const segment of this.#suspects) {
        await segment.verifyAndAccept()
        this.#suspects.delete(segment)
      }
      this.#checkNext()
    } catch (error) {
      if (isServiceError(error)) throw error
      throw unwritable(`${this.#path}: cannot read the closed journal files`, 'repair the disk; appends resume automatically', error)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((segment) => segment.close()))
  }

  #checkNext(): void {
    const segment = this.#all[this.#next++ % Math.max(1, this.#all.length)]
    try {
      segment?.check()
    } catch (error) {
      if (segment !== undefined) this.#suspects.add(segment)
      throw error
    }
  }

  async #reload(): Promise<void> {
    const { files, fault } = await listSegments(this.#path, this.#before)
    if (fault !== undefined) throw fault
    const old = this.#all
    this.#all = files.map((file) => new Segment(file))
    this.#fault = undefined
    await Promise.all(old.map((segment) => segment.close()))
  }
}
