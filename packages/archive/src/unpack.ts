// Reads a complete archive and refuses it for any violation of the format. Writes nothing itself.
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
  /** Called before any entry. */
  readonly begin: (manifest: Manifest) => Promise<void>
  /** Called for each entry. Must read the body of a file to its end. */
  readonly visit: (entry: Entry) => Promise<void>
}

interface Reading {
  readonly rules: Rules
  readonly tally: Tally
  readonly visitor: Visitor
  manifest: Manifest | undefined
  end: End | undefined
}

const maxDocumentBytes = 256 * 1024

async function* hashBody(entry: Entry & { readonly type: 'file' }, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of entry.body) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== entry.size) throw broken(`${entry.path} has ${bytes} bytes instead of ${entry.size}`)
}

const readDocument = async (entry: Entry): Promise<Buffer> => {
  if (entry.type !== 'file' || entry.size > maxDocumentBytes) throw broken(`${entry.path} is not a file, or is too large`)
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const Json = jsonText(jsonBounds.archiveDocument)

const parseManifest = (text: string): Manifest => {
  const announced = v.safeParse(v.pipe(Json, Announced), text)
  if (!announced.success) throw broken('it does not begin with the manifest of a backup')
  if (announced.output.version > archiveVersion)
    throw broken(
      `its format version ${announced.output.version} is newer than ${archiveVersion}`,
      'restore it with the release that wrote it',
    )
  const manifest = v.safeParse(v.pipe(Json, Manifest), text)
  if (!manifest.success) throw broken(`its manifest is invalid (${manifest.issues[0].message})`)
  if (manifest.output.schema > stateSchema)
    throw broken(`its state schema ${manifest.output.schema} is newer than ${stateSchema}`, 'restore it with the release that wrote it')
  return manifest.output
}

const count = (reading: Reading, entry: Entry, body: Uint8Array): void =>
  reading.tally.add(entry, body.length, createHash('sha256').update(body).digest('hex'))

const readManifest = async (reading: Reading, entry: Entry): Promise<void> => {
  if (entry.path !== manifestName) throw broken(`it begins with ${JSON.stringify(entry.path.slice(0, 200))} instead of ${manifestName}`)
  const body = await readDocument(entry)
  reading.manifest = parseManifest(body.toString('utf8'))
  count(reading, entry, body)
  await reading.visitor.begin(reading.manifest)
}

const readEnd = async (reading: Reading, entry: Entry): Promise<void> => {
  const parsed = v.safeParse(v.pipe(Json, End), (await readDocument(entry)).toString('utf8'))
  const { entries, bytes, digest } = reading.tally.end()
  if (!parsed.success || parsed.output.entries !== entries || parsed.output.bytes !== bytes || parsed.output.digest !== digest)
    throw broken('its contents do not match its end: entries are missing, added, altered or reordered')
  reading.end = parsed.output
}

const readEntry = async (reading: Reading, entry: Entry): Promise<void> => {
  if (reading.end !== undefined) throw broken(`${JSON.stringify(entry.path.slice(0, 200))} follows ${endName}`)
  if (reading.manifest === undefined) return readManifest(reading, entry)
  if (entry.path === endName) return readEnd(reading, entry)
  reading.rules.admit(entry)
  const hash = createHash('sha256')
  await reading.visitor.visit(entry.type === 'file' ? { ...entry, body: hashBody(entry, hash) } : entry)
  reading.tally.add(entry, entry.type === 'file' ? entry.size : 0, hash.digest('hex'))
}

const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Resolves when the archive is complete and valid. Rejects with a `Refusal` that names the reason otherwise. */
export const unpack = async (plain: AsyncIterable<Uint8Array>, visitor: Visitor): Promise<Manifest> => {
  const reading: Reading = { rules: createRules(), tally: createTally(), visitor, manifest: undefined, end: undefined }
  try {
    await feed(plain, (read) => readEntry(reading, toEntry(read)), maxDocumentBytes)
  } catch (error) {
    if (isRefusal(error) || isSystem(error)) throw error
    throw broken(`it is truncated or altered (${describeError(error)})`, undefined, error)
  }
  if (reading.manifest === undefined || reading.end === undefined) throw broken('it is truncated: its end is missing')
  return reading.manifest
}

/** True for an error of the disk that is written to, not of the archive. */
const isSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error
