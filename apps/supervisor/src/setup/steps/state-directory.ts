// The state directory: there, for the unit alone. Never removed while something is in it.
import { chmod, chown, lstat, readdir, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { lostAndFound, makeDirectory } from '@gatehouse/kernel'
import type { Step } from '../step.ts'

const find = (path: string) =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Whoever may not look is no help to anybody: then it counts as empty. */
const isFull = (path: string): Promise<boolean> =>
  readdir(path).then(
    (names) => names.some((name) => name !== lostAndFound),
    () => false,
  )

export const stateDirectory: Step = {
  name: 'state-directory',
  async look({ stateDir, owner }) {
    const found = await find(stateDir)
    if (found === undefined) return { state: 'lacking', says: `${stateDir} is not there` }
    if (!found.isDirectory()) return { state: 'blocked', says: `${stateDir} is no directory: move it away` }
    if (found.uid !== owner.uid && (await isFull(stateDir))) {
      const way = 'back it up by that unit, move it away, and restore it when this is done'
      return { state: 'blocked', says: `${stateDir} is the state of a unit of uid ${found.uid}: ${way}` }
    }
    const mode = found.mode & 0o777
    if (found.uid !== owner.uid || found.gid !== owner.gid || mode !== 0o700) {
      return { state: 'lacking', says: `${stateDir} is of ${found.uid}:${found.gid} with mode 0${mode.toString(8)}` }
    }
    return { state: 'ready', says: `${stateDir}, of ${owner.uid}:${owner.gid} alone` }
  },
  async make({ stateDir, owner }) {
    // Its owner is not always root, and has to pass.
    await makeDirectory(dirname(stateDir), 0o755)
    await makeDirectory(stateDir, 0o700)
    await chown(stateDir, owner.uid, owner.gid)
    await chmod(stateDir, 0o700)
  },
  async remove({ stateDir }) {
    return rmdir(stateDir).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : `${stateDir} stays: it is not empty`),
    )
  },
}
