// The directory of the unit's state on this host: that it is one, and that it is nobody else's.
import { stat } from 'node:fs/promises'
import { type Check, fail, pass, quoted, skip } from './check.ts'

export const stateDirectory: Check = {
  name: 'state-directory',
  run: async ({ stateDir }) => {
    if (stateDir === undefined) return [skip('none of this host is meant; name one with --state-dir')]
    const path = quoted(stateDir)
    const found = await stat(stateDir).catch(() => undefined)
    if (found === undefined) return [fail(`there is nothing at ${stateDir}`, `mkdir -p -m 0700 ${path}`)]
    if (!found.isDirectory()) return [fail(`${stateDir} is no directory`, `mv ${path} ${path}.moved && mkdir -m 0700 ${path}`)]
    const mode = found.mode & 0o777
    return mode === 0o700 ? [pass(stateDir)] : [fail(`${stateDir} has mode 0${mode.toString(8)}, expected 0700`, `chmod 0700 ${path}`)]
  },
}
