// Refusals of file operations, where files of a group lie on the host, and how a path is split into names. Refusals name what was
// found, never its contents.
import { statfs } from 'node:fs/promises'
import { type AgentGroupID, type FilePlace, isServiceError, limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import { NotPlain } from '../safe-fs.ts'

const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** For a group that holds what it may. */
export const freeSpaceHint = 'remove files with svcctl files rm, or raise workspaceMiB by a change of permissions'

const notThere = (path: string): ServiceError =>
  new ServiceError('not-found', { detail: `there is nothing at ${JSON.stringify(path)}`, hint: 'list the directory' })

export const isFull = (error: unknown): boolean => full.has(codeOf(error))

/** On the disk that holds the state directory. */
export const noSpace = (cause?: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: 'expected room for the file on the disk of the unit, there is none',
    hint: 'free some of the disk that holds the state directory, or remove files of the group',
    cause,
  })

/** On the disk that the group has of its own: the unit has room. */
export const noSpaceInGroup = (cause: unknown): ServiceError =>
  new ServiceError('too-large', {
    detail: 'expected room for the file on the disk of its group, there is none',
    hint: freeSpaceHint,
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
  if (isFull(error)) return noSpace(error)
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

/** With so many bytes more, less than 256 MiB would be free, or than an eighth of a small volume. */
export const isLowOnSpace = async (directory: string, bytes = 0): Promise<boolean> => {
  const { bavail, blocks, bsize } = await statfs(directory)
  return bavail * bsize - bytes < Math.min(limits.diskForOthers, (blocks * bsize) / 8)
}

/** Where the files of a group lie on the host, and how a path becomes names. */
export interface Where {
  readonly agentGroupID: AgentGroupID
  readonly place: FilePlace
  readonly path: string
}

export const placeOf = ({ stateDir }: { readonly stateDir: string }, { agentGroupID, place }: Omit<Where, 'path'>): string =>
  `${stateDir}/${stateFiles.groups}/${agentGroupID}/${place}`

export const namesIn = (path: string): string[] => (path === '' ? [] : path.split('/'))
