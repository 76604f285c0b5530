// Writes a layer: a tar archive, the same byte for byte for the same entries, with its digests before and after compression.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Header } from 'tar'
import type { Entry } from './entry.ts'

export interface Written {
  /** `sha256:` of the file. */
  readonly digest: string
  readonly size: number
  /** `sha256:` of the archive in it. */
  readonly diffId: string
}

const block = 512
const epoch = new Date(0)

const headerOf = (entry: Entry, size: number): Buffer => {
  const isDirectory = entry.kind === 'directory'
  const header = new Header({
    path: isDirectory ? `${entry.path}/` : entry.path,
    type: isDirectory ? 'Directory' : 'File',
    mode: entry.mode,
    uid: entry.owner ?? 0,
    gid: entry.owner ?? 0,
    size,
    mtime: epoch,
  })
  const buffer = Buffer.alloc(block)
  if (header.encode(buffer)) throw new RangeError(`expected a path that fits into the header of an archive, got ${entry.path}`)
  return buffer
}

const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

const blocksOf = async function* (entries: readonly Entry[]): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    if (entry.kind === 'directory') {
      yield headerOf(entry, 0)
      continue
    }
    const { content } = entry
    const bytes = 'text' in content ? Buffer.from(content.text) : null
    const size = bytes === null && 'source' in content ? (await stat(content.source)).size : (bytes?.length ?? 0)
    yield headerOf(entry, size)
    if (bytes !== null) yield bytes
    else if ('source' in content) yield* createReadStream(content.source, { highWaterMark: 1024 * 1024 })
    yield padding(size)
  }
  yield Buffer.alloc(2 * block)
}

interface Tally {
  readonly pass: Transform
  digest(): string
  size(): number
}

const createTally = (): Tally => {
  const hash = createHash('sha256')
  let size = 0
  const pass = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  return { pass, digest: () => `sha256:${hash.digest('hex')}`, size: () => size }
}

/** `entries` in the order that they are to have. */
export const writeLayer = async (
  entries: readonly Entry[],
  file: string,
  { compressed }: { readonly compressed: boolean },
): Promise<Written> => {
  const [archive, written] = [createTally(), createTally()]
  const source = Readable.from(blocksOf(entries))
  if (compressed) await pipeline(source, archive.pass, createGzip({ level: 6 }), written.pass, createWriteStream(file))
  else await pipeline(source, archive.pass, createWriteStream(file))
  const diffId = archive.digest()
  return compressed ? { digest: written.digest(), size: written.size(), diffId } : { digest: diffId, size: archive.size(), diffId }
}
