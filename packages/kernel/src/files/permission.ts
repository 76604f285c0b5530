// Refusals about who may read and write: each names the one line that repairs it.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'
import { hostIdentity } from './host-ids.ts'

/** ENOENT comes from a file system such as /proc that lets nobody make a directory. */
const refused: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

export const ownershipRefusal = (directory: string, cause: unknown): Refusal => {
  const { uid, gid } = hostIdentity()
  return new Refusal(exits.noPermission, {
    detail: `expected a directory that uid ${uid} can write, got ${directory}${codeOf(cause) === undefined ? '' : ` (${String(codeOf(cause))})`}`,
    hint: `run: ${codeOf(cause) === 'ENOENT' ? `install -d -m 0700 -o ${uid} -g ${gid}` : `chown -R ${uid}:${gid}`} ${directory}`,
    cause,
  })
}

/** Gives the act's result; a lack of permission becomes a refusal with the `chown` to run. */
export const orRefuse = async <T>(directory: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw refused.includes(codeOf(error)) ? ownershipRefusal(directory, error) : error
  }
}
