// Holds every lock of a state directory, so that nothing runs on it meanwhile.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, stateFiles } from '@gatehouse/contracts'
import { type Lock, lockWriter, Refusal } from '@gatehouse/kernel'

const writers = ['supervisor', 'gateway', 'runner', 'broker', 'model-proxy'] as const

/** `Refusal` 75 while a unit runs, 78 where there is no state. */
export const whileStopped = async <T>(stateDir: string, act: () => Promise<T>): Promise<T> => {
  await access(join(stateDir, stateFiles.state)).catch((cause: unknown) => {
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected the state directory of a unit, found no ${stateFiles.state} that can be read`,
      hint: 'name it: --state-dir DIR',
      cause,
    })
  })
  const locks: Lock[] = []
  try {
    for (const writer of writers) locks.push(await lockWriter(stateDir, writer))
    return await act()
  } finally {
    for (const lock of locks.toReversed()) await lock.release()
  }
}
