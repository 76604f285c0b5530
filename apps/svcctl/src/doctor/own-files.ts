// What svcctl itself keeps: code that it will run, and lines that were typed.
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Check, fail, pass, quoted } from './check.ts'

export const ownFiles: Check = {
  name: 'own-files',
  run: async ({ environment }) => {
    const home = environment['HOME'] || homedir()
    const folders = [
      join(environment['XDG_CACHE_HOME'] || join(home, '.cache'), 'svcctl'),
      join(environment['XDG_STATE_HOME'] || join(home, '.local/state'), 'svcctl'),
    ]
    const found = await Promise.all(
      folders.map(async (path) => {
        const mode = (await stat(path).catch(() => undefined))?.mode ?? 0
        return (mode & 0o022) === 0
          ? []
          : [fail(`others may write to ${path}, from which svcctl runs and reads`, `chmod -R go-w ${quoted(path)}`)]
      }),
    )
    return found.flat().length === 0 ? [pass('no one else may write them')] : found.flat()
  },
}
