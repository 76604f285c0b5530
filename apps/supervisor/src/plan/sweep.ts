// Before a start: takes away what a backup left that was killed, gives files that were extracted with 0700 their mode back,
// and refuses a state that is half restored.
import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { copiesPrefix, Refusal, restoringPrefix } from '@gatehouse/kernel'

/** `chmod -R 0700` is what people do after they extracted an archive; it opens a file to nobody else. */
const withoutExecution = async (path: string): Promise<void> => {
  const found = await lstat(path)
  if (found.isFile() && (found.mode & 0o7777) === 0o700) await chmod(path, 0o600)
}

/** The caller holds the lock of the state directory. */
export const sweep = async (stateDir: string): Promise<void> => {
  for (const name of await readdir(stateDir)) {
    if (name.startsWith(copiesPrefix)) await rm(join(stateDir, name), { recursive: true, force: true })
    else await withoutExecution(join(stateDir, name))
    if (!name.startsWith(restoringPrefix)) continue
    throw new Refusal(exits.configuration, {
      detail: `${stateDir}: expected a whole state, got one whose restore was interrupted (${name})`,
      hint: `empty ${stateDir} and restore the archive again`,
    })
  }
}
