// The directory of a session's socket: its service's own, so that nobody can plant anything where the host connects.
import { chown, lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { HostIdentity } from '@gatehouse/contracts'
import { privateDirectory } from '../files/private-directory.ts'

/** Rejects where anything but the socket lies: a planted link would lead the host's own connection elsewhere. */
const refuseStrangers = async (socket: string): Promise<void> => {
  const directory = dirname(socket)
  const strangers = (await readdir(directory)).filter((name) => name !== basename(socket))
  if (strangers.length > 0) throw new Error(`expected nothing in ${directory} but ${basename(socket)}, got ${strangers.length} more`)
}

/**
 * For this socket. The sandbox's group may pass and connect; without an identity nobody but the service's own uid.
 * Split: this half cannot give anything away, so the runner, which can, lets the sandbox's group in before it launches.
 */
export const makeDirectory = async (socket: string, identity: HostIdentity | undefined, isSplit: boolean): Promise<void> => {
  const directory = dirname(socket)
  if (isSplit) {
    await privateDirectory(directory, 0o710)
    return refuseStrangers(socket)
  }
  await privateDirectory(directory, identity === undefined ? 0o700 : 0o710)
  if (identity !== undefined) await chown(directory, -1, identity.gid)
  await refuseStrangers(socket)
}

/** Removes sockets and then the directory; anything else that lies there stays, and the directory with it. */
export const removeDirectory = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    if ((await lstat(path)).isSocket()) await unlink(path)
  }
  await rmdir(directory).catch(() => undefined)
}
