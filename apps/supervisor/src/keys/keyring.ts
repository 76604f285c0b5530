// The master key of the installation and one subkey for each purpose. Only the supervisor ever sees the master key.
import { randomBytes } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { deriveKey, type Epoch, formatKeyring, parseKeyring, Refusal, writeAtomically } from '@gatehouse/kernel'

/** Where the keyring of a rotation lies until the rotation is done. */
export const keyringPath = (stateDir: string, external: string | null): string => external ?? join(stateDir, stateFiles.keyring)

export const pendingKeyring = (stateDir: string, external: string | null): string => `${keyringPath(stateDir, external)}.next`

/** Some files are sealed under the old key and some under the new. */
const refuseHalfRotated = async (stateDir: string, external: string | null): Promise<void> => {
  const path = pendingKeyring(stateDir, external)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected one master key, got a rotation that was interrupted`,
    hint: `finish it: gatehouse keys rotate --state-dir ${stateDir}`,
  })
}

/** The newest last. */
export type Epochs = readonly [Epoch, ...Epoch[]]

export interface Subkeys {
  readonly database: string
  readonly journal: string
  readonly secrets: string
  readonly queues: string
  readonly logins: string
  readonly epoch: number
  /** Of earlier epochs, the oldest first. */
  readonly formerSecrets: readonly string[]
  readonly formerLogins: readonly string[]
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const readKeyring = async (path: string): Promise<Epochs> => {
  const epochs = parseKeyring(await readFile(path, 'utf8'))
  if (epochs === undefined) {
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected a keyring or 64 hex digits, got something else`,
      hint: 'restore the file from a backup: without it the state cannot be read',
    })
  }
  return epochs
}

/** A new installation mints its key; one that has state never does. */
export const loadEpochs = async (stateDir: string, external: string | null): Promise<Epochs> => {
  const path = keyringPath(stateDir, external)
  await refuseHalfRotated(stateDir, external)
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
  const first: Epoch = { epoch: 1, key: randomBytes(32) }
  await writeAtomically(path, formatKeyring([first]))
  return [first]
}

export const newestOf = (epochs: Epochs): Epoch => epochs.at(-1) ?? epochs[0]

type Own = Pick<Subkeys, 'database' | 'journal' | 'secrets' | 'queues' | 'logins'>

/** Of one epoch. */
export const subkeysOf = ({ epoch, key }: Epoch): Own => {
  const subkey = (purpose: string): string => deriveKey(key, purpose, epoch).toString('hex')
  return {
    database: subkey('database'),
    journal: subkey('journal'),
    secrets: subkey('secrets'),
    queues: subkey('queues'),
    logins: subkey('logins'),
  }
}

/** Of the newest epoch, with what earlier ones are still good for. */
export const subkeysOfAll = (epochs: Epochs): Subkeys => {
  const newest = newestOf(epochs)
  const former = epochs.filter(({ epoch }) => epoch < newest.epoch).map(subkeysOf)
  return {
    ...subkeysOf(newest),
    epoch: newest.epoch,
    formerSecrets: former.map(({ secrets }) => secrets),
    formerLogins: former.map(({ logins }) => logins),
  }
}

export const loadSubkeys = async (stateDir: string, external: string | null): Promise<Subkeys> =>
  subkeysOfAll(await loadEpochs(stateDir, external))
