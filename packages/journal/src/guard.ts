// What the journal's file must be before each append: the same file, one link, the size that was left, for its owner alone.
import { lstatSync, type BigIntStats } from 'node:fs'
import { ServiceError } from '@gatehouse/contracts'

/** Which file it is. */
export interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

export const unwritable = (detail: string, hint: string, cause?: unknown): ServiceError =>
  new ServiceError('audit-unwritable', { detail, hint, cause })

/** Without following a link; an open file keeps its inode, so the name is all that must be looked at. */
const lookAt = (path: string): BigIntStats => {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    throw unwritable(
      `${path}: expected the journal, found no file that can be reached`,
      'put the file back; appending goes on by itself',
      error,
    )
  }
}

/** Kind, links and mode. */
export const checkShape = (path: string, found: BigIntStats): void => {
  if (!found.isFile())
    throw unwritable(`${path}: expected a file, got something else`, 'put the journal back in its place; appending goes on by itself')
  if (found.nlink !== 1n) {
    throw unwritable(`${path}: expected one name for the file, got ${found.nlink}`, `remove the others: find -samefile ${path}`)
  }
  const mode = found.mode & 0o777n
  if (mode !== 0o600n) throw unwritable(`${path}: expected mode 600, got ${mode.toString(8)}`, `chmod 600 ${path}`)
}

export const sameFile = (a: Identity, b: Identity): boolean => a.ino === b.ino && a.dev === b.dev

export const checkFile = (path: string, { identity, size }: { readonly identity: Identity; readonly size: number }): void => {
  const found = lookAt(path)
  if (!sameFile(found, identity)) {
    throw unwritable(
      `${path}: expected the journal, found another file in its place`,
      'put the file back, or a copy of it to the last byte; appending goes on by itself',
    )
  }
  checkShape(path, found)
  if (found.size !== BigInt(size)) {
    throw unwritable(
      `${path}: expected ${size} bytes, got ${found.size}`,
      'somebody else wrote to the journal: keep a copy, run svcctl audit verify and restore what it was; appending goes on by itself',
    )
  }
}
