// Operations on a stopped unit, under all locks of its state directory: restore, and reset of the admin token.
import { randomBytes } from 'node:crypto'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Checked, readIdentities, restore } from '@gatehouse/archive'
import { exits, stateFiles } from '@gatehouse/contracts'
import { addHostAct, type Lock, lockWriter, Refusal, wallTime, writeAtomically } from '@gatehouse/kernel'
import { recordShown } from '../../plan/token.ts'

const writers = ['supervisor', 'gateway', 'runner', 'broker', 'model-proxy'] as const

/** Files that somebody else makes here, be it root, the unit could not read. */
const refuseStranger = async (stateDir: string): Promise<void> => {
  const [{ uid }, own] = [await stat(stateDir), process.geteuid?.()]
  if (uid === own) return
  throw new Refusal(exits.noPermission, {
    detail: `expected to be uid ${uid}, whose ${stateDir} is, got uid ${own}`,
    hint: `put sudo -u '#${uid}' before the command`,
  })
}

/** `Refusal` 75 while a unit runs, 77 where the state is somebody else's, 78 where there is none. */
export const whileStopped = async <T>(stateDir: string, act: () => Promise<T>): Promise<T> => {
  await access(join(stateDir, stateFiles.state)).catch((cause: unknown) => {
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected the state directory of a unit, found no ${stateFiles.state} that can be read`,
      hint: 'name it: --state-dir DIR',
      cause,
    })
  })
  await refuseStranger(stateDir)
  const locks: Lock[] = []
  try {
    for (const writer of writers) locks.push(await lockWriter(stateDir, writer))
    return await act()
  } finally {
    for (const lock of locks.toReversed()) await lock.release()
  }
}

/** The act is noted first: a reset that nobody reads of must not be. */
export const resetAdmin = (stateDir: string): Promise<string> =>
  whileStopped(stateDir, async () => {
    const token = randomBytes(32).toString('hex')
    await addHostAct(stateDir, { stage: 'token-create', id: randomBytes(16).toString('hex'), at: wallTime() })
    await writeAtomically(join(stateDir, stateFiles.adminToken), `${token}\n`)
    await recordShown(stateDir)
    return token
  })

/** Restores an archive where no unit runs. */
export interface RestoreUnitOptions {
  readonly file: string
  readonly stateDir: string
  readonly masterKeyFile: string | null
  readonly identityFiles: readonly string[]
  readonly passphrase: string | undefined
}

export const restoreUnit = async ({ identityFiles, passphrase, ...where }: RestoreUnitOptions): Promise<Checked> => {
  const identities = (await Promise.all(identityFiles.map((path) => readIdentities(path)))).flat()
  return restore({ ...where, opener: { identities, passphrase } })
}
