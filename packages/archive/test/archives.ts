// Builds archives by hand: valid ones, and their raw tar, so that a test can break each in one way.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Epoch, formatKeyring } from '@gatehouse/kernel'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Header, type types } from 'tar'
import { encrypt } from '../src/age.ts'
import type { Entry } from '../src/entry.ts'
import { computeKeyCheck } from '../src/check.ts'
import { archiveFormat, archiveVersion, type Manifest } from '../src/manifest.ts'
import { pack } from '../src/pack.ts'

export const identity = await generateX25519Identity()
const recipient = await identityToRecipient(identity)

export const epoch: Epoch = { epoch: 1, key: randomBytes(32) }
const installation = 'a'.repeat(32)

export const manifest: Manifest = {
  format: archiveFormat,
  version: archiveVersion,
  schema: 1,
  release: '1.2.3',
  installation,
  mode: 'production',
  createdAt: '2026-01-02T03:04:05.000Z',
  head: { seq: 7, hash: 'b'.repeat(64) },
  masterKey: 'inside',
  keyCheck: computeKeyCheck(epoch),
  owners: false,
  catalog: null,
}

const common = { uid: 65532, gid: 65532, mtime: new Date(1_000_000) }

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  if (content.length > 0) yield content
}

export const file = (path: string, content: string | Buffer, mode = 0o600): Entry => {
  const bytes = Buffer.from(content)
  return { ...common, type: 'file', path, mode, size: bytes.length, body: once(bytes) }
}
export const directory = (path: string, mode = 0o700): Entry => ({ ...common, type: 'directory', path, mode })
export const link = (path: string, target: string): Entry => ({ ...common, type: 'link', path, mode: 0o777, target })

export const stateText = (changed: object = {}): string => JSON.stringify({ schema: 1, installation, mode: 'production', ...changed })

/** A complete state directory, in order. */
export const contents = (): Entry[] => [
  directory('state'),
  file('state/state.json', stateText()),
  file('state/keyring.json', formatKeyring([epoch])),
  file('state/audit.jsonl', '{"seq":1}\n'.repeat(500)),
  file('state/gateway.db', randomBytes(40_000)),
  directory('state/groups'),
  directory('state/groups/dev-agent'),
  directory('state/groups/dev-agent/workspace'),
  file('state/groups/dev-agent/workspace/notes.txt', 'what an agent wrote', 0o640),
  file(`state/groups/dev-agent/workspace/${'long-'.repeat(40)}.txt`, ''),
  link('state/groups/dev-agent/workspace/elsewhere', '/etc/passwd'),
]

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

const gathered = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

/** The decrypted content. */
export const plain = (entries: readonly Entry[] = contents(), changed: Partial<Manifest> = {}): Promise<Buffer> =>
  gathered(pack({ ...manifest, ...changed }, each(entries)))

export const sealed = async (bytes: Uint8Array): Promise<Buffer> => gathered(await encrypt(once(bytes), { recipients: [recipient] }))

/** A raw entry of a type that the packer never writes. */
export const raw = (type: { path: string; type: types.EntryTypeName; linkpath?: string }, body = Buffer.alloc(0)): Buffer => {
  const header = new Header({ mode: 0o600, uid: 0, gid: 0, mtime: new Date(0), size: body.length, ...type })
  header.encode()
  return Buffer.concat([header.block ?? Buffer.alloc(0), body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}

interface Piece {
  readonly name: string
  readonly bytes: Buffer
}

/** The raw entries of a decrypted archive, each with its extended header. */
export const piecesOf = (archive: Buffer): Piece[] => {
  const pieces: Piece[] = []
  let begun = 0
  for (let at = 0; at + 512 <= archive.length;) {
    const header = new Header(archive, at)
    if (header.nullBlock) break
    const length = 512 + Math.ceil((header.size ?? 0) / 512) * 512
    const extended = header.type === 'ExtendedHeader'
    if (!extended) {
      pieces.push({ name: header.path ?? '', bytes: archive.subarray(begun, at + length) })
      begun = at + length
    }
    at += length
  }
  return pieces
}

export const joined = (pieces: readonly { readonly bytes: Buffer }[]): Buffer =>
  Buffer.concat([...pieces.map(({ bytes }) => bytes), Buffer.alloc(1024)])

export const scratch = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-archive-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

export const written = async (folder: string, bytes: Uint8Array): Promise<string> => {
  const path = join(folder, 'backup.age')
  await writeFile(path, bytes)
  return path
}
