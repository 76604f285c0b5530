// A file of slots for calls in progress. A slot is within one page, so that a killed process leaves it filled or empty, never torn.
import { closeSync, constants, fdatasync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

export interface Slot {
  readonly noted: unknown
  /** Replaces the content. Throws when it cannot be written. */
  change(noted: object): void
  /** Empties the slot after its record has been written. */
  clear(): void
}

export interface SlotFile {
  /** Slots that an earlier process left filled. */
  readonly left: readonly Slot[]
  /** True while a slot is filled. */
  readonly isUsed: boolean
  /** Fills a free slot. Throws when it cannot be written. */
  take(noted: object): Slot
  sync(): Promise<void>
  close(): void
}

const slotSize = 2048
const sync = promisify(fdatasync)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text of each slot; undefined for an empty one. */
const readLeft = (path: string): (string | undefined)[] => {
  const bytes = readFileSync(path)
  return Array.from({ length: Math.ceil(bytes.length / slotSize) }, (_, index) => {
    const [text = ''] = bytes
      .subarray(index * slotSize, (index + 1) * slotSize)
      .toString('utf8')
      .split('\n', 1)
    return text === '' || text.startsWith('\0') ? undefined : text
  })
}

class OpenSlots implements SlotFile {
  readonly left: readonly Slot[]
  readonly #fd: number
  readonly #free: number[] = []
  #size: number
  #filled = 0

  constructor(fd: number, left: readonly (string | undefined)[]) {
    this.#fd = fd
    this.#size = left.length
    this.left = left.flatMap((text, index) => (text === undefined ? [] : [this.#slot(index, parse(text))]))
    left.forEach((text, index) => text === undefined && this.#free.push(index))
    if (this.left.length === 0) {
      ftruncateSync(fd, 0)
      this.#size = 0
      this.#free.length = 0
    }
  }

  get isUsed(): boolean {
    return this.#filled > 0
  }

  take(noted: object): Slot {
    const index = this.#free.pop() ?? this.#size++
    try {
      this.#write(index, noted)
    } catch (error) {
      this.#free.push(index)
      throw error
    }
    return this.#slot(index, noted)
  }

  sync(): Promise<void> {
    return sync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }

  #slot(index: number, noted: unknown): Slot {
    let isFilled = true
    this.#filled += 1
    return {
      noted,
      change: (other) => this.#write(index, other),
      clear: () => {
        if (!isFilled) return
        isFilled = false
        this.#filled -= 1
        this.#free.push(index)
        writeSync(this.#fd, '\n', index * slotSize)
      },
    }
  }

  #write(index: number, noted: object): void {
    const text = `${JSON.stringify(noted)}\n`
    if (Buffer.byteLength(text) > slotSize) throw new Error(`the content of a slot is larger than ${slotSize} bytes`)
    writeSync(this.#fd, text, index * slotSize)
  }
}

/** Opens or creates the file. Throws where that fails. */
export const openSlotFile = (path: string): SlotFile => {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  try {
    return new OpenSlots(fd, readLeft(path))
  } catch (error) {
    closeSync(fd)
    throw error
  }
}
