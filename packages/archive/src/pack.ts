// Writes an archive as a stream: manifest, entries, end. Keeps one chunk in memory at a time.
import { createHash } from 'node:crypto'
import type { Entry } from './entry.ts'
import { block, encodeHeaders } from './head.ts'
import { createTally, endName, type Manifest, manifestName, type Tally } from './manifest.ts'

const text = (path: string, value: object): Entry => {
  const body = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  const common = { path, mode: 0o600, uid: 0, gid: 0, mtime: new Date(0) }
  return { ...common, type: 'file', size: body.length, body: once(body) }
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

async function* packEntry(entry: Entry, tally: Tally | undefined): AsyncGenerator<Uint8Array> {
  yield* encodeHeaders(entry)
  const hash = createHash('sha256')
  let bytes = 0
  if (entry.type === 'file') {
    for await (const chunk of entry.body) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
    if (bytes !== entry.size) throw new Error(`${entry.path}: expected ${entry.size} bytes, got ${bytes}`)
    if (bytes % block > 0) yield Buffer.alloc(block - (bytes % block))
  }
  tally?.add(entry, bytes, hash.digest('hex'))
}

export async function* pack(manifest: Manifest, entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  const tally = createTally()
  yield* packEntry(text(manifestName, manifest), tally)
  for await (const entry of entries) yield* packEntry(entry, tally)
  yield* packEntry(text(endName, tally.end()), undefined)
  yield Buffer.alloc(2 * block)
}
