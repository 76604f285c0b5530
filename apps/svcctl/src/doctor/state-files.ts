// What lies in the state directory: who owns it, and who may read it.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Check, fail, noStateDirectory, pass, quoted, type Verdict } from './check.ts'

const judge = async (path: string, owner: number): Promise<Verdict[]> => {
  const found = await lstat(path)
  const word = quoted(path)
  if (found.isSymbolicLink())
    return [fail(`${path} is a link: a unit keeps its files itself`, { advice: `move what ${path} leads to into its place` })]
  const wanted = found.isDirectory() ? 0o700 : 0o600
  const wide = (found.mode & 0o077) !== 0
  return [
    ...(found.uid === owner ? [] : [fail(`${path} belongs to uid ${found.uid}, expected ${owner}`, `chown -R ${owner} ${word}`)]),
    ...(wide
      ? [
          fail(
            `${path} is open to others: 0${(found.mode & 0o777).toString(8)}, expected 0${wanted.toString(8)}`,
            `chmod 0${wanted.toString(8)} ${word}`,
          ),
        ]
      : []),
  ]
}

export const stateFilesCheck: Check = {
  name: 'state-files',
  run: async ({ stateDir }) => {
    const found = stateDir === undefined ? undefined : await lstat(stateDir).catch(() => undefined)
    if (stateDir === undefined || found?.isDirectory() !== true) return [noStateDirectory]
    const names = await readdir(stateDir)
    const verdicts = (await Promise.all(names.map((name) => judge(join(stateDir, name), found.uid)))).flat()
    return verdicts.length === 0 ? [pass(`${names.length}, each for its owner alone`)] : verdicts
  },
}
