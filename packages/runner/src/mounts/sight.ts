// What lies at a path of the host that somebody wants to mount: a witness for the approver. Opens nothing, follows no link unseen.
import type { BigIntStats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import type { MountSighting } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'

const typeOf = (found: BigIntStats): NonNullable<MountSighting['type']> => {
  if (found.isDirectory()) return 'directory'
  if (found.isFile()) return 'file'
  return found.isSocket() ? 'socket' : 'other'
}

/** Undefined where there is nothing that can be reached, or where it moved while it was looked at. */
const look = async (source: string): Promise<Omit<MountSighting, 'source' | 'at'> | undefined> => {
  const real = await realpath(source)
  // No link is left in `real`, so a link that is found there now was put there since.
  const found = await lstat(real, { bigint: true })
  if (found.isSymbolicLink() || (await realpath(source)) !== real) return undefined
  return {
    real,
    type: typeOf(found),
    device: String(found.dev),
    inode: String(found.ino),
    owner: Number(found.uid),
    mode: (Number(found.mode) & 0o7777).toString(8),
  }
}

/** Never rejects: a path that cannot be looked at is one where nothing was seen. */
export const sight = async (source: string): Promise<MountSighting> => {
  const seen = await look(source).catch(() => undefined)
  return { source, at: wallTime(), ...seen }
}
