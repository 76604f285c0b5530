// The directory of a session's socket: the broker's own, so that nobody can plant anything where the host connects.
import { chown, lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostIdentity } from '@gatehouse/contracts'
import { privateDirectory } from '@gatehouse/kernel'

/** The sandbox's group may pass and connect; without an identity nobody but the broker's own uid. */
export const makeDirectory = async (directory: string, identity: HostIdentity | undefined): Promise<void> => {
  await privateDirectory(directory, identity === undefined ? 0o700 : 0o710)
  if (identity !== undefined) await chown(directory, -1, identity.gid)
}

/** Removes sockets and then the directory; anything else that lies there stays, and the directory with it. */
export const removeDirectory = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    if ((await lstat(path)).isSocket()) await unlink(path)
  }
  await rmdir(directory).catch(() => undefined)
}
