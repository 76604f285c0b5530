// The directories that the sessions of a group share, owned by what the sandbox really runs as.
import { chmod, lchown, lstat, mkdir, readdir } from 'node:fs/promises'
import { type AgentGroupID, type HostIdentity, stateFiles } from '@gatehouse/contracts'
import { privateDirectory } from '@gatehouse/kernel'
import { LaunchRefused } from '../sessions/end.ts'

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
