// Permission errors as refusals whose hint is the command that fixes them.
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'

/** False in a user namespace, where root maps to another user of the host. */
export const hasHostIds = async (): Promise<boolean> => /^\s*0\s+0\s+4294967295\s*$/.test(await readFile('/proc/self/uid_map', 'utf8'))

/** Maps an id to the host. Units enter at most one user namespace, so one mapping is enough. */
const toHostId = (id: number, file: 'uid_map' | 'gid_map'): number => {
  for (const line of readFileSync(`/proc/self/${file}`, 'utf8').trim().split('\n')) {
    const [first = 0, host = 0, count = 0] = line.trim().split(/\s+/).map(Number)
    if (id >= first && id < first + count) return host + id - first
  }
  return id
}

/** The ids of this process as the host sees them. */
export const hostIdentity = (): { readonly uid: number; readonly gid: number } => ({
  uid: toHostId(process.geteuid?.() ?? -1, 'uid_map'),
  gid: toHostId(process.getegid?.() ?? -1, 'gid_map'),
})

/** ENOENT comes from file systems such as /proc, in which no directory can be created. */
const permissionCodes: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']

export const errorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const shellQuote = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`)

/** The command that creates the directory for this user with that mode, for root to run. */
const repairHint = (directory: string, code: unknown, mode: number | undefined): string => {
  if (code === 'EROFS') return `mount the file system of ${directory} for writing, or choose another directory`
  const { uid, gid } = hostIdentity()
  const path = shellQuote(directory)
  const steps = [
    ...(existsSync(directory) ? [] : [`mkdir -p ${path}`]),
    `chown -R ${uid}:${gid} ${path}`,
    ...(mode === undefined ? [] : [`chmod ${mode.toString(8).padStart(4, '0')} ${path}`]),
  ]
  return `run as root: ${steps.join(' && ')}`
}

/** @param mode the required mode, where it is known */
export const ownershipRefusal = (directory: string, cause: unknown, mode?: number): Refusal => {
  const code = errorCode(cause)
  return new Refusal(exits.noPermission, {
    detail: `uid ${hostIdentity().uid} cannot write ${directory}${typeof code === 'string' ? ` (${code})` : ''}`,
    hint: repairHint(directory, code, mode),
    cause,
  })
}

/** Runs `act`. A permission error becomes a `Refusal` 77 whose hint fixes owner and mode of the directory. */
export const orRefuse = async <T>(directory: string, act: () => Promise<T>, mode?: number): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw permissionCodes.includes(errorCode(error)) ? ownershipRefusal(directory, error, mode) : error
  }
}

/** Resolves to undefined where the file does not exist. Rejects with every other error. */
export const ifPresent = <T>(access: Promise<T>): Promise<T | undefined> =>
  access.catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
