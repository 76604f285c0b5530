// Directories that the sessions of a group share, owned by the identity that the sandbox runs as.
import { chmod, constants, lchown, lstat, mkdir, open, readdir, realpath, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentGroupID, type HostIdentity, stateFiles } from '@gatehouse/contracts'
import { privateDirectory } from '@gatehouse/kernel'
import { LaunchRefused } from '../errors.ts'

export interface GroupDirectories {
  readonly workspace: string
  readonly memory: string
  readonly shared: string
}

interface Wanted {
  readonly mode: number
  readonly owner: HostIdentity | undefined
}

/**
 * All that is in it, as after a restore, then itself: whoever dies in between begins again. Whose sandbox runs owns it already, so nobody
 * moves anything meanwhile. No link is followed.
 */
const give = async (path: string, owner: HostIdentity): Promise<void> => {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const below = `${path}/${entry.name}`
    if (entry.isDirectory()) await give(below, owner)
    else await lchown(below, owner.uid, owner.gid)
  }
  await lchown(path, owner.uid, owner.gid)
}

/** The parent belongs to the host alone, so no agent can put a link there. The gid opens nothing; some drivers have one for each session. */
const ownedDirectory = async (path: string, { mode, owner }: Wanted): Promise<string> => {
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  if (!found.isDirectory()) throw new LaunchRefused(`expected a directory at ${path}, got another kind of file`)
  if ((found.mode & 0o777) !== mode) await chmod(path, mode)
  if (owner !== undefined && found.uid !== owner.uid) await give(path, owner)
  // Another session of the group may run meanwhile, as the same user: what it exchanges below is not looked at.
  else if (owner !== undefined && found.gid !== owner.gid) await lchown(path, owner.uid, owner.gid)
  return path
}

export const groupDirectories = async (
  stateDir: string,
  group: AgentGroupID,
  owner: HostIdentity | undefined,
): Promise<GroupDirectories> => {
  const home = `${stateDir}/${stateFiles.groups}/${group}`
  await privateDirectory(home)
  return {
    workspace: await ownedDirectory(`${home}/workspace`, { mode: 0o700, owner }),
    memory: await ownedDirectory(`${home}/memory`, { mode: 0o700, owner }),
    shared: await ownedDirectory(`${home}/shared`, { mode: 0o755, owner }),
  }
}

/** Less than this is no room for anything. */
const leastBytes = 64 * 1024

/** One clause for people; undefined where there is room, or no disk. */
export const describeFull = async (disk: string | undefined): Promise<string | undefined> => {
  const found = disk === undefined ? undefined : await statfs(disk).catch(() => undefined)
  if (found === undefined) return undefined
  const { blocks, bavail, bsize, files, ffree } = found
  if (bavail * bsize < leastBytes) return `the disk of its group is full: it has room for ${Math.round((blocks * bsize) / 1024 ** 2)} MiB`
  return ffree === 0 ? `the disk of its group is full: it has room for ${files} files` : undefined
}

/** Lets the group of a sandbox in to a socket that the other half of a split unit serves: that half cannot give its files away, and root can. */
export interface AllowGroupOptions {
  readonly gid: number
  /** Runtime directory of that half: whose it is, what lies in it must be. */
  readonly half: string
}

/**
 * The directory keeps its owner; what is made in it later is of the group from the start, so that the service may restart.
 * `LaunchRefused` where a link leads elsewhere, or where somebody else's directory lies.
 */
export const allowGroup = async (directory: string, { gid, half }: AllowGroupOptions): Promise<void> => {
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
