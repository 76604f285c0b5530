// Writes entries to a compressed tar, byte for byte the same for the same entries: no owners, no times, one order.
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Header } from 'tar'
import type { Entry } from './contents.ts'

const block = 512

const padded = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

const headerOf = ({ path, mode, content }: Entry, prefix: string, size: number): Buffer => {
  const isFile = content !== undefined
  const header = new Header({
    path: `${prefix}/${path}${isFile ? '' : '/'}`,
    mode,
    uid: 0,
    gid: 0,
    uname: 'root',
    gname: 'root',
    size,
    mtime: new Date(0),
    type: isFile ? 'File' : 'Directory',
  })
  const bytes = Buffer.alloc(block)
  if (header.encode(bytes)) throw new Error(`expected a path that fits the header of a tar, got ${path}`)
  return bytes
}

const read = async ({ content }: Entry): Promise<Buffer> => {
  if (content === undefined) return Buffer.alloc(0)
  return 'text' in content ? Buffer.from(content.text) : readFile(content.file)
}

async function* render(entries: readonly Entry[], prefix: string): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    const bytes = await read(entry)
    yield headerOf(entry, prefix, bytes.length)
    yield bytes
    yield padded(bytes.length)
  }
  yield Buffer.alloc(2 * block)
}

export interface PackOptions {
  readonly target: string
  /** Folder in which everything lies. */
  readonly prefix: string
  /** Of the compression, 0 to 9. */
  readonly level?: number
}

export const pack = (entries: readonly Entry[], { target, prefix, level = 6 }: PackOptions): Promise<void> =>
  pipeline(render(entries, prefix), createGzip({ level }), createWriteStream(target, { mode: 0o644 }))
