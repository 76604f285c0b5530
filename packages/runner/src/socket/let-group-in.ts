// Lets the group of a sandbox in to a socket that the other half of a split unit serves: that half cannot give its files away, and root can.
import { constants, lchown, lstat, open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { LaunchRefused } from '../sessions/end.ts'

export interface LetIn {
  readonly gid: number
  /** Runtime directory of that half: whose it is, what lies in it must be. */
  readonly half: string
}

/**
 * The directory keeps its owner; what is made in it later is of the group from the start, so that the service may restart.
 * `LaunchRefused` where a link leads elsewhere, or where somebody else's directory lies.
 */
export const letGroupIn = async (directory: string, { gid, half }: LetIn): Promise<void> => {
  const real = join(await realpath(half), directory.slice(half.length))
  if ((await realpath(directory)) !== real) throw new LaunchRefused(`expected a directory at ${directory}, got a link to elsewhere`)
  await using opened = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const { uid } = await lstat(half)
  const found = await opened.stat()
  if (found.uid !== uid) throw new LaunchRefused(`expected ${directory} to be of uid ${uid}, got one of uid ${found.uid}`)
  await opened.chown(uid, gid)
  await opened.chmod(0o2710)
  const same = `/proc/self/fd/${opened.fd}`
  for (const name of await readdir(same)) {
    const path = join(same, name)
    const entry = await lstat(path)
    if (entry.isSocket() && entry.uid === uid && entry.nlink === 1) await lchown(path, uid, gid)
  }
}
