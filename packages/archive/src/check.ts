// Verifies a complete archive without writing: its manifest, its size, and that its master key belongs to its state.
import { readFile } from 'node:fs/promises'
import { jsonBounds, Mode, stateFiles } from '@gatehouse/contracts'
import { deriveKey, type Epoch, jsonText, parseKeyring } from '@gatehouse/kernel'
import * as v from 'valibot'
import { decrypt, type Opener } from './age.ts'
import { broken, type Entry } from './entry.ts'
import { type Manifest, stateRoot } from './manifest.ts'
import { unpack } from './unpack.ts'

export const computeKeyCheck = ({ key, epoch }: Epoch): string => deriveKey(key, 'backup check', epoch).toString('hex')

export interface Checked {
  readonly manifest: Manifest
  readonly files: number
  readonly bytes: number
}

export interface CheckOptions {
  /** Reads the archive from its beginning. */
  readonly read: () => AsyncIterable<Uint8Array>
  readonly opener: Opener
  /** Path of the master key if it is not in the state directory. */
  readonly masterKeyFile: string | null
}

const maxDocumentBytes = 64 * 1024
const documentPaths: ReadonlySet<string> = new Set([stateFiles.state, stateFiles.keyring].map((name) => `${stateRoot}/${name}`))

const StateFile = v.pipe(jsonText(jsonBounds.archiveDocument), v.object({ schema: v.number(), installation: v.string(), mode: Mode }))

interface Findings {
  files: number
  bytes: number
  database: boolean
  readonly texts: Map<string, string>
}

const inspectEntry = async (findings: Findings, entry: Entry): Promise<void> => {
  if (entry.type !== 'file') return
  findings.files += 1
  findings.bytes += entry.size
  findings.database ||= entry.path === `${stateRoot}/${stateFiles.database}` && entry.size > 0
  const chunks: Uint8Array[] = []
  const keep = documentPaths.has(entry.path)
  if (keep && entry.size > maxDocumentBytes) throw broken(`${entry.path} is too large: ${entry.size} bytes`)
  for await (const chunk of entry.body) if (keep) chunks.push(chunk)
  if (keep) findings.texts.set(entry.path, Buffer.concat(chunks).toString('utf8'))
}

const checkState = ({ schema, installation, mode }: Manifest, text: string | undefined): void => {
  const state = v.safeParse(StateFile, text)
  if (!state.success) throw broken(`its ${stateFiles.state} is ${text === undefined ? 'missing' : 'invalid'}`)
  if (state.output.schema !== schema || state.output.installation !== installation || state.output.mode !== mode)
    throw broken(`its manifest and its ${stateFiles.state} belong to different installations`)
}

const checkKey = async (manifest: Manifest, inside: string | undefined, outside: string | null): Promise<void> => {
  if (manifest.masterKey === 'outside' && outside === null)
    throw broken('its master key was stored outside of the state directory', 'set SERVICE_MASTER_KEY_FILE=FILE')
  if (manifest.masterKey === 'inside' && inside === undefined) throw broken(`its ${stateFiles.keyring} is missing`)
  const text = manifest.masterKey === 'inside' ? inside : await readFile(outside ?? '', 'utf8')
  const newest = parseKeyring(text ?? '')?.at(-1)
  if (newest === undefined) throw broken('its master key is neither a keyring nor 64 hex digits')
  if (computeKeyCheck(newest) !== manifest.keyCheck) throw broken('its master key does not belong to its state')
}

/** Rejects with a `Refusal` that names the reason. */
export const checkArchive = async ({ read, opener, masterKeyFile }: CheckOptions): Promise<Checked> => {
  const findings: Findings = { files: 0, bytes: 0, database: false, texts: new Map() }
  const plain = await decrypt(read(), opener)
  const manifest = await unpack(plain, { begin: () => Promise.resolve(), visit: (entry) => inspectEntry(findings, entry) })
  checkState(manifest, findings.texts.get(`${stateRoot}/${stateFiles.state}`))
  await checkKey(manifest, findings.texts.get(`${stateRoot}/${stateFiles.keyring}`), masterKeyFile)
  if (!findings.database) throw broken(`its ${stateFiles.database} is missing`)
  return { manifest, files: findings.files, bytes: findings.bytes }
}
