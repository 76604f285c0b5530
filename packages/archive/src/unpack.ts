// Reads an archive from its first byte to its last and refuses it for whatever is not as it must be. Writes nothing itself.
import { createHash } from 'node:crypto'
import { jsonBounds, stateSchema } from '@gatehouse/contracts'
import { isRefusal, jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import { broken, type Entry } from './entry.ts'
import { feed } from './feed.ts'
import { toEntry } from './head.ts'
import { Announced, archiveVersion, createTally, End, endName, Manifest, manifestName, type Tally } from './manifest.ts'
import { createRules, type Rules } from './rules.ts'

export interface Visitor {
  /** Before any entry. */
  readonly begin: (manifest: Manifest) => Promise<void>
  /** Must read the body of a file to its end. */
  readonly visit: (entry: Entry) => Promise<void>
}

interface Reading {
  readonly rules: Rules
  readonly tally: Tally
  readonly visitor: Visitor
  manifest: Manifest | undefined
  end: End | undefined
}

const smallMost = 256 * 1024

async function* hashed(entry: Entry & { readonly type: 'file' }, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of entry.body) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== entry.size) throw broken(`expected ${entry.size} bytes of ${entry.path}, got ${bytes}`)
}

const readSmall = async (entry: Entry): Promise<Buffer> => {
  if (entry.type !== 'file' || entry.size > smallMost) throw broken(`expected a small file ${entry.path}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const Json = jsonText(jsonBounds.archiveDocument)

const parseManifest = (text: string): Manifest => {
  const announced = v.safeParse(v.pipe(Json, Announced), text)
  if (!announced.success) throw broken('expected the manifest of a backup first, got something else')
  if (announced.output.version > archiveVersion)
    throw broken(
      `expected version ${archiveVersion} of the archive or older, got ${announced.output.version}`,
      'restore it with the release that wrote it',
    )
  const manifest = v.safeParse(v.pipe(Json, Manifest), text)
  if (!manifest.success) throw broken(`expected a manifest that fits its schema (${manifest.issues[0].message})`)
  if (manifest.output.schema > stateSchema)
    throw broken(
      `expected state of schema ${stateSchema} or older, got ${manifest.output.schema}`,
      'restore it with the release that wrote it',
    )
  return manifest.output
}

const count = (reading: Reading, entry: Entry, body: Uint8Array): void =>
  reading.tally.add(entry, body.length, createHash('sha256').update(body).digest('hex'))

const takeManifest = async (reading: Reading, entry: Entry): Promise<void> => {
  if (entry.path !== manifestName) throw broken(`expected ${manifestName} first, got ${JSON.stringify(entry.path.slice(0, 200))}`)
  const body = await readSmall(entry)
  reading.manifest = parseManifest(body.toString('utf8'))
  count(reading, entry, body)
  await reading.visitor.begin(reading.manifest)
}

const takeEnd = async (reading: Reading, entry: Entry): Promise<void> => {
  const parsed = v.safeParse(v.pipe(Json, End), (await readSmall(entry)).toString('utf8'))
  const { entries, bytes, digest } = reading.tally.end()
  if (!parsed.success || parsed.output.entries !== entries || parsed.output.bytes !== bytes || parsed.output.digest !== digest)
    throw broken('its contents are not those that it ends with: entries are missing, added, altered or in another order')
  reading.end = parsed.output
}

const take = async (reading: Reading, entry: Entry): Promise<void> => {
  if (reading.end !== undefined) throw broken(`expected nothing after ${endName}, got ${JSON.stringify(entry.path.slice(0, 200))}`)
  if (reading.manifest === undefined) return takeManifest(reading, entry)
  if (entry.path === endName) return takeEnd(reading, entry)
  reading.rules.admit(entry)
  const hash = createHash('sha256')
  await reading.visitor.visit(entry.type === 'file' ? { ...entry, body: hashed(entry, hash) } : entry)
  reading.tally.add(entry, entry.type === 'file' ? entry.size : 0, hash.digest('hex'))
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Resolves when the archive is whole. A `Refusal` says why it is not. */
export const unpack = async (plain: AsyncIterable<Uint8Array>, visitor: Visitor): Promise<Manifest> => {
  const reading: Reading = { rules: createRules(), tally: createTally(), visitor, manifest: undefined, end: undefined }
  try {
    await feed(plain, (read) => take(reading, toEntry(read)), smallMost)
  } catch (error) {
    if (isRefusal(error) || isSystem(error)) throw error
    throw broken(`it is cut or altered (${reasonOf(error)})`, undefined, error)
  }
  if (reading.manifest === undefined || reading.end === undefined) throw broken('it is cut: its end is missing')
  return reading.manifest
}

/** Of the disk that is written to, not of the archive. */
const isSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error
