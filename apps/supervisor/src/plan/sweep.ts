// Before a start: takes away what a backup left that was killed, and refuses a state that is half restored.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { copiesPrefix, Refusal, restoringPrefix } from '@gatehouse/kernel'

/** The caller holds the lock of the state directory. */
export const sweep = async (stateDir: string): Promise<void> => {
  for (const name of await readdir(stateDir)) {
    if (name.startsWith(copiesPrefix)) await rm(join(stateDir, name), { recursive: true, force: true })
    if (!name.startsWith(restoringPrefix)) continue
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected a whole state, got one whose restore was interrupted (${name})`,
      hint: `empty ${stateDir} and restore the archive again`,
    })
  }
}
