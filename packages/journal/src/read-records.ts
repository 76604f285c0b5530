// Reads records, newest first, from the current and the closed files, within limits.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { ifPresent } from '@gatehouse/kernel'
import { linesBackward, readFrom } from './lines.ts'
import { rotatedNumbers, rotatedPath } from './rotated.ts'

/** A position before an offset in a numbered file. The current file has the number that it gets when it is closed. */
export interface RecordPosition {
  readonly file: number
  readonly offset: number
}

export interface ReadOptions {
  readonly isWanted: (record: unknown) => boolean
  readonly limit: number
  /** Only records before this position. */
  readonly before?: RecordPosition | undefined
  /** Maximum number of lines and bytes to examine. */
  readonly max: { readonly lines: number; readonly bytes: number }
}

export interface RecordPage {
  readonly items: readonly unknown[]
  /** Where to continue; absent at the end. It can be set on an empty page: the limits were reached without a match. */
  readonly next?: RecordPosition
}

interface Source {
  readonly number: number
  readonly path: string
}

const listSources = async (path: string, before: RecordPosition | undefined): Promise<Source[]> => {
  const closed = (await rotatedNumbers(path)).map((number) => ({ number, path: rotatedPath(path, number) }))
  const present = { number: (closed.at(-1)?.number ?? 0) + 1, path }
  return [...closed, present].filter(({ number }) => before === undefined || number <= before.file).toReversed()
}

/** Undefined for a file that was removed or renamed in the meantime. */
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

  /** Resolves to the position at which the limits were reached; undefined at the end of the file. */
  async searchFile(source: Source, handle: FileHandle): Promise<RecordPosition | undefined> {
    const { before, limit, isWanted, max } = this.#options
    const { size } = await handle.stat()
    const end = before?.file === source.number ? Math.min(before.offset, size) : size
    let isRest = true
    for await (const { start, bytes } of linesBackward(readFrom(handle), end)) {
      // Bytes after the last newline are not a complete record.
      if (isRest) {
        isRest = false
        continue
      }
      this.#lines += 1
      this.#bytes += bytes.length
      const record = parse(bytes)
      if (record !== undefined && isWanted(record)) this.items.push(record)
      if (this.items.length >= limit || this.#lines >= max.lines || this.#bytes >= max.bytes) return { file: source.number, offset: start }
    }
    return undefined
  }
}

export const readRecords = async (path: string, options: ReadOptions): Promise<RecordPage> => {
  const search = new Search(options)
  const sources = await listSources(path, options.before)
  for (const [index, source] of sources.entries()) {
    const handle = await openSource(source)
    if (handle === undefined) continue
    try {
      const position = await search.searchFile(source, handle)
      const isEnd = position?.offset === 0 && index === sources.length - 1
      if (position !== undefined) return { items: search.items, ...(!isEnd && { next: position }) }
    } finally {
      await handle.close()
    }
  }
  return { items: search.items }
}
