// The master key of the installation, and one subkey per purpose. No process but this one ever sees the master.
import { randomBytes } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { deriveKey, Refusal, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'

const Hex = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'))
const Keyring = v.strictObject({ epochs: v.pipe(v.array(v.strictObject({ epoch: v.number(), key: Hex })), v.minLength(1)) })

export interface Subkeys {
  readonly database: string
  readonly journal: string
  readonly secrets: string
  readonly queues: string
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const readKeyring = async (path: string): Promise<Buffer> => {
  const text = (await readFile(path, 'utf8')).trim()
  const bare = v.safeParse(Hex, text)
  if (bare.success) return Buffer.from(bare.output, 'hex')
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Keyring), text)
  const newest = parsed.success ? parsed.output.epochs.at(-1) : undefined
  if (newest === undefined) {
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected a keyring or 64 hex digits, got something else`,
      hint: 'restore the file from a backup: without it the state cannot be read',
    })
  }
  return Buffer.from(newest.key, 'hex')
}

/** A new installation mints its key; one that has state never does. */
const loadMaster = async (stateDir: string, external: string | null): Promise<Buffer> => {
  const path = external ?? join(stateDir, stateFiles.keyring)
  if (await exists(path)) return readKeyring(path)
  if (external !== null || (await exists(join(stateDir, stateFiles.database)))) {
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected the master key of this installation, found no file`,
      hint:
        external === null
          ? 'restore keyring.json from a backup: without it the state cannot be read'
          : 'SERVICE_MASTER_KEY_FILE must name a readable file',
    })
  }
  const key = randomBytes(32)
  await writeAtomically(path, `${JSON.stringify({ epochs: [{ epoch: 1, key: key.toString('hex') }] }, null, 2)}\n`)
  return key
}

export const loadSubkeys = async (stateDir: string, external: string | null): Promise<Subkeys> => {
  const master = await loadMaster(stateDir, external)
  const subkey = (purpose: string): string => deriveKey(master, purpose, 1).toString('hex')
  return { database: subkey('database'), journal: subkey('journal'), secrets: subkey('secrets'), queues: subkey('queues') }
}
