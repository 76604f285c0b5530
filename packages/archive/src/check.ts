// Looks at a whole archive without writing a byte: what it is, how much it holds, and that its keys open what is in it.
import { readFile } from 'node:fs/promises'
import { jsonBounds, Mode, stateFiles } from '@gatehouse/contracts'
import { deriveKey, type Epoch, jsonText, parseKeyring } from '@gatehouse/kernel'
import * as v from 'valibot'
import { decrypt, type Opener } from './age.ts'
import { broken, type Entry } from './entry.ts'
import { type Manifest, stateRoot } from './manifest.ts'
import { unpack } from './unpack.ts'

export const keyCheckOf = ({ key, epoch }: Epoch): string => deriveKey(key, 'backup check', epoch).toString('hex')

export interface Checked {
  readonly manifest: Manifest
  readonly files: number
  readonly bytes: number
}

export interface CheckOptions {
  /** The archive from its first byte. */
  readonly read: () => AsyncIterable<Uint8Array>
  readonly opener: Opener
  /** Where the master key is kept when it is not in the state. */
  readonly masterKeyFile: string | null
}

const keptMost = 64 * 1024
const kept: ReadonlySet<string> = new Set([stateFiles.state, stateFiles.keyring].map((name) => `${stateRoot}/${name}`))

const StateFile = v.pipe(jsonText(jsonBounds.archiveDocument), v.object({ schema: v.number(), installation: v.string(), mode: Mode }))

interface Found {
  files: number
  bytes: number
  database: boolean
  readonly texts: Map<string, string>
}

const look = async (found: Found, entry: Entry): Promise<void> => {
  if (entry.type !== 'file') return
  found.files += 1
  found.bytes += entry.size
  found.database ||= entry.path === `${stateRoot}/${stateFiles.database}` && entry.size > 0
  const chunks: Uint8Array[] = []
  const keep = kept.has(entry.path)
  if (keep && entry.size > keptMost) throw broken(`expected a small file ${entry.path}, got ${entry.size} bytes`)
  for await (const chunk of entry.body) if (keep) chunks.push(chunk)
  if (keep) found.texts.set(entry.path, Buffer.concat(chunks).toString('utf8'))
}

const checkState = ({ schema, installation, mode }: Manifest, text: string | undefined): void => {
  const state = v.safeParse(StateFile, text)
  if (!state.success)
    throw broken(`expected ${stateFiles.state} of an installation in it, got ${text === undefined ? 'none' : 'something else'}`)
  if (state.output.schema !== schema || state.output.installation !== installation || state.output.mode !== mode)
    throw broken(`its manifest and its ${stateFiles.state} are of two installations`)
}

const checkKey = async (manifest: Manifest, inside: string | undefined, outside: string | null): Promise<void> => {
  if (manifest.masterKey === 'outside' && outside === null)
    throw broken('its master key was kept outside of the state', 'name the file: SERVICE_MASTER_KEY_FILE=FILE')
  if (manifest.masterKey === 'inside' && inside === undefined) throw broken(`expected ${stateFiles.keyring} in it, got none`)
  const text = manifest.masterKey === 'inside' ? inside : await readFile(outside ?? '', 'utf8')
  const newest = parseKeyring(text ?? '')?.at(-1)
  if (newest === undefined) throw broken('expected a keyring or 64 hex digits as its master key, got something else')
  if (keyCheckOf(newest) !== manifest.keyCheck) throw broken('its master key is another than the one that its state was made with')
}

/** Throws a `Refusal` with the reason. */
export const checkArchive = async ({ read, opener, masterKeyFile }: CheckOptions): Promise<Checked> => {
  const found: Found = { files: 0, bytes: 0, database: false, texts: new Map() }
  const plain = await decrypt(read(), opener)
  const manifest = await unpack(plain, { begin: () => Promise.resolve(), visit: (entry) => look(found, entry) })
  checkState(manifest, found.texts.get(`${stateRoot}/${stateFiles.state}`))
  await checkKey(manifest, found.texts.get(`${stateRoot}/${stateFiles.keyring}`), masterKeyFile)
  if (!found.database) throw broken(`expected ${stateFiles.database} in it, got none`)
  return { manifest, files: found.files, bytes: found.bytes }
}
