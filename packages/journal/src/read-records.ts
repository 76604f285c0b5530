// Records from the newest to the oldest, over the present file and the closed ones, within bounds.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { ifPresent } from '@gatehouse/kernel'
import { linesBackward, readFrom } from './lines.ts'
import { rotatedNumbers, rotatedPath } from './rotated.ts'

/** Before this offset of the file with this number; the present file has the number that it will be closed with. */
export interface RecordPosition {
  readonly file: number
  readonly offset: number
}

export interface ReadOptions {
  readonly isWanted: (record: unknown) => boolean
  readonly limit: number
  /** Only what stands before. */
  readonly before?: RecordPosition | undefined
  /** So many lines and bytes are looked through. */
  readonly most: { readonly lines: number; readonly bytes: number }
}

export interface RecordPage {
  readonly items: readonly unknown[]
  /** Where to go on; absent at the end. It may be there when nothing was found: so far was looked. */
  readonly next?: RecordPosition
}

interface Source {
  readonly number: number
  readonly path: string
}

const sourcesOf = async (path: string, before: RecordPosition | undefined): Promise<Source[]> => {
  const closed = (await rotatedNumbers(path)).map((number) => ({ number, path: rotatedPath(path, number) }))
  const present = { number: (closed.at(-1)?.number ?? 0) + 1, path }
  return [...closed, present].filter(({ number }) => before === undefined || number <= before.file).toReversed()
}

/** Undefined for one that was removed or closed meanwhile. */
const openSource = ({ path }: Source): Promise<FileHandle | undefined> => ifPresent(open(path, constants.O_RDONLY | constants.O_NOFOLLOW))

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

class Search {
  readonly items: unknown[] = []
  readonly #options: ReadOptions
  #lines = 0
  #bytes = 0

  constructor(options: ReadOptions) {
    this.#options = options
  }

  /** Where it stopped for its bounds. */
  async look(source: Source, handle: FileHandle): Promise<RecordPosition | undefined> {
    const { before, limit, isWanted, most } = this.#options
    const { size } = await handle.stat()
    const end = before?.file === source.number ? Math.min(before.offset, size) : size
    let isRest = true
    for await (const { start, bytes } of linesBackward(readFrom(handle), end)) {
      // What follows the last newline is no record yet.
      if (isRest) {
        isRest = false
        continue
      }
      this.#lines += 1
      this.#bytes += bytes.length
      const record = parse(bytes)
      if (record !== undefined && isWanted(record)) this.items.push(record)
      if (this.items.length >= limit || this.#lines >= most.lines || this.#bytes >= most.bytes)
        return { file: source.number, offset: start }
    }
    return undefined
  }
}

export const readRecords = async (path: string, options: ReadOptions): Promise<RecordPage> => {
  const search = new Search(options)
  const sources = await sourcesOf(path, options.before)
  for (const [index, source] of sources.entries()) {
    const handle = await openSource(source)
    if (handle === undefined) continue
    try {
      const stopped = await search.look(source, handle)
      const isEnd = stopped?.offset === 0 && index === sources.length - 1
      if (stopped !== undefined) return { items: search.items, ...(!isEnd && { next: stopped }) }
    } finally {
      await handle.close()
    }
  }
  return { items: search.items }
}
