// Rotates the master key of a stopped unit. Each step is done over or found done, so that a rotation that was killed at any
// moment is finished by asking for it again: the new keyring waits beside the old one until all is under its key.
import { createHash, randomBytes } from 'node:crypto'
import { access, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exits, runnerCredentialFile, stateFiles } from '@gatehouse/contracts'
import { publishKeys } from '@gatehouse/journal'
import {
  addHostAct,
  type Epoch,
  formatKeyring,
  ifPresent,
  parseKeyring,
  readHostActs,
  Refusal,
  syncPath,
  wallTime,
  writeAtomically,
} from '@gatehouse/kernel'
import { openKeyFile, rekeyStore, sealKeyFile } from '@gatehouse/store'
import { type Epochs, keyringPath, newestOf, pendingKeyring, subkeysOf } from '../../keys/keyring.ts'
import { whileStopped } from './stopped.ts'

export interface RotateOptions {
  readonly stateDir: string
  readonly masterKeyFile: string | null
  /** Told before each step, by tests that end the process there. */
  readonly onStep?: (step: string) => void
}

export interface Rotated {
  readonly epoch: number
  /** How many were sealed anew, now or before an interruption. */
  readonly queues: number
}

interface Turn {
  readonly stateDir: string
  readonly old: Epoch
  readonly next: Epoch
  readonly all: Epochs
  readonly step: (name: string) => void
}

const readEpochs = async (path: string): Promise<Epochs | undefined> => {
  const text = await ifPresent(readFile(path, 'utf8'))
  if (text === undefined) return undefined
  const epochs = parseKeyring(text)
  if (epochs !== undefined) return epochs
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected a keyring or 64 hex digits, got something else`,
    hint: 'restore it from a backup',
  })
}

/** The one that an interrupted rotation made, or a new one. */
const nextEpochs = async (path: string, present: Epochs): Promise<Epochs> => {
  const pending = await readEpochs(path)
  if (pending !== undefined) return pending
  const made: Epochs = [...present, { epoch: newestOf(present).epoch + 1, key: randomBytes(32) }]
  await writeAtomically(path, formatKeyring(made))
  return made
}

const sealAnew = async ({ stateDir, old, next, step }: Turn): Promise<number> => {
  const folder = join(stateDir, stateFiles.keys)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.key') && !name.startsWith('.')).toSorted()
  const [from, to] = [old, next].map((epoch) => Buffer.from(subkeysOf(epoch).queues, 'hex'))
  if (from === undefined || to === undefined) return 0
  for (const name of names) {
    const [path, session] = [join(folder, name), name.slice(0, -'.key'.length)]
    const text = await readFile(path, 'utf8')
    if (isUnder(to, session, text)) continue
    step(`key ${name}`)
    if (isUnder(from, session, text)) await writeAtomically(path, sealKeyFile(to, session, openKeyFile(from, session, text)))
  }
  return names.length
}

/** One that neither key opens was lost before, and stays as it is: its session is parked. */
const isUnder = (wrapping: Buffer, session: string, text: string): boolean => {
  try {
    openKeyFile(wrapping, session, text)
    return true
  } catch {
    return false
  }
}

const noteEpoch = async ({ stateDir, next }: Turn): Promise<void> => {
  const id = createHash('sha256').update(next.key).update('epoch act').digest('hex').slice(0, 32)
  if ((await readHostActs(stateDir)).some((act) => act.id === id)) return
  await addHostAct(stateDir, { stage: 'epoch', id, at: wallTime(), epoch: next.epoch })
}

const turnOver = async (turn: Turn): Promise<number> => {
  const { stateDir, old, next, all, step } = turn
  const queues = await sealAnew(turn)
  step('database')
  await rekeyStore({ path: join(stateDir, stateFiles.database), from: subkeysOf(old).database, to: subkeysOf(next).database })
  step('journal key')
  await publishKeys(
    join(stateDir, stateFiles.journalKey),
    all.map((epoch) => Buffer.from(subkeysOf(epoch).journal, 'hex')),
  )
  step('note')
  await noteEpoch(turn)
  return queues
}

/** The keys of queues lie in the state of the other half, under another uid: half a rotation would lock them. */
const refuseSplit = async (stateDir: string): Promise<void> => {
  const isSplit = await access(join(stateDir, runnerCredentialFile)).then(
    () => true,
    () => false,
  )
  if (!isSplit) return
  throw new Refusal(exits.configuration, {
    detail: `${stateDir}: expected the state of a whole unit, got one half of a split unit`,
    hint: `make it whole first: docs/how-to/split-host.md`,
  })
}

export const rotateKeys = ({ stateDir, masterKeyFile, onStep = () => undefined }: RotateOptions): Promise<Rotated> =>
  whileStopped(stateDir, async () => {
    await refuseSplit(stateDir)
    const path = keyringPath(stateDir, masterKeyFile)
    const pending = pendingKeyring(stateDir, masterKeyFile)
    const present = await readEpochs(path)
    if (present === undefined)
      throw new Refusal(exits.configuration, {
        detail: `${path}: expected the master key, found no file`,
        hint: 'a key kept elsewhere is named by SERVICE_MASTER_KEY_FILE',
      })
    onStep('keyring')
    const all = await nextEpochs(pending, present)
    const next = newestOf(all)
    const queues = await turnOver({ stateDir, old: newestOf(present), next, all, step: onStep })
    onStep('commit')
    await rename(pending, path)
    await syncPath(dirname(path))
    return { epoch: next.epoch, queues }
  })
