// Holds every lock of a state directory, so that nothing runs on it meanwhile.
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { type Lock, lockWriter, Refusal } from '@gatehouse/kernel'

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
