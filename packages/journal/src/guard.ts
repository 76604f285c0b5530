// Checks a journal file before each append: it must be the same file with one link, the expected size and mode 600.
import { lstatSync, type BigIntStats } from 'node:fs'
import { ServiceError } from '@gatehouse/contracts'

/** Identifies a file. */
export interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

export const unwritable = (detail: string, hint: string, cause?: unknown): ServiceError =>
  new ServiceError('audit-unwritable', { detail, hint, cause })

/** Does not follow links. An open file keeps its inode, so only the name has to be checked. */
const readStats = (path: string): BigIntStats => {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    throw unwritable(`${path}: the journal file is missing or not accessible`, 'put the file back; appends resume automatically', error)
  }
}

/** Checks type, link count and mode. */
export const checkShape = (path: string, stats: BigIntStats): void => {
  if (!stats.isFile()) throw unwritable(`${path}: not a regular file`, 'put the journal back; appends resume automatically')
  if (stats.nlink !== 1n) {
    throw unwritable(`${path}: the file has ${stats.nlink} names, expected one`, `remove the others: find -samefile ${path}`)
  }
  const mode = stats.mode & 0o777n
  if (mode !== 0o600n) throw unwritable(`${path}: expected mode 600, got ${mode.toString(8)}`, `chmod 600 ${path}`)
}

export const isSameFile = (a: Identity, b: Identity): boolean => a.ino === b.ino && a.dev === b.dev

export const checkFile = (path: string, { identity, size }: { readonly identity: Identity; readonly size: number }): void => {
  const stats = readStats(path)
  if (!isSameFile(stats, identity)) {
    throw unwritable(
      `${path}: another file has replaced the journal`,
      'put the file back, or an exact copy of it; appends resume automatically',
    )
  }
  checkShape(path, stats)
  if (stats.size !== BigInt(size)) {
    throw unwritable(
      `${path}: expected ${size} bytes, got ${stats.size}`,
      'another program wrote to the journal: keep a copy, run svcctl audit verify and restore the original; appends resume automatically',
    )
  }
}
