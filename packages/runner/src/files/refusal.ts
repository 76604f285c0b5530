// What is said to a person when a file cannot be listed, fetched, put or removed. Names what was found, never what it holds.
import { isServiceError, ServiceError } from '@gatehouse/contracts'
import { NotPlain } from '../groups/plain.ts'

const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** For a group that holds what it may. */
export const makeRoom = 'remove files with svcctl files rm, or raise workspaceMiB by a change of permissions'

const notThere = (path: string): ServiceError =>
  new ServiceError('not-found', { detail: `there is nothing at ${JSON.stringify(path)}`, hint: 'list the directory' })

export const isFull = (error: unknown): boolean => full.has(codeOf(error))

/** On the disk that holds the state directory. */
export const noRoom = (cause?: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: 'expected room for the file on the disk of the unit, there is none',
    hint: 'free some of the disk that holds the state directory, or remove files of the group',
    cause,
  })

/** On the disk that the group has of its own: the unit has room. */
export const noRoomInGroup = (cause: unknown): ServiceError =>
  new ServiceError('too-large', {
    detail: 'expected room for the file on the disk of its group, there is none',
    hint: makeRoom,
    cause,
  })

const toService = (path: string, error: unknown): unknown => {
  if (isServiceError(error)) return error
  if (error instanceof NotPlain)
    return error.missing
      ? notThere(path)
      : new ServiceError('conflict', { detail: error.message, hint: 'ask the agent for a plain file or directory there' })
  const code = codeOf(error)
  if (code === 'ENOENT') return notThere(path)
  if (isFull(error)) return noRoom(error)
  if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'EEXIST' || code === 'ENAMETOOLONG' || code === 'EACCES' || code === 'EPERM')
    return new ServiceError('conflict', { detail: `expected a place for a plain file at ${JSON.stringify(path)}, got ${code}` })
  return error
}

/** Runs it, and gives what goes wrong the code of the table. */
export const refusing = async <T>(path: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw toService(path, error)
  }
}
