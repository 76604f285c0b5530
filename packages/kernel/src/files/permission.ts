// Refusals about who may read and write: each names the one line that repairs it.
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'

/** False in a user namespace, where root is nobody of the host's. */
export const hasHostIds = async (): Promise<boolean> => /^\s*0\s+0\s+4294967295\s*$/.test(await readFile('/proc/self/uid_map', 'utf8'))

/** In one namespace after the other only the outermost is the host; ours is the only one that units enter. */
const outside = (id: number, file: 'uid_map' | 'gid_map'): number => {
  for (const line of readFileSync(`/proc/self/${file}`, 'utf8').trim().split('\n')) {
    const [first = 0, host = 0, count = 0] = line.trim().split(/\s+/).map(Number)
    if (id >= first && id < first + count) return host + id - first
  }
  return id
}

/** Our ids as the host has them. */
export const hostIdentity = (): { readonly uid: number; readonly gid: number } => ({
  uid: outside(process.geteuid?.() ?? -1, 'uid_map'),
  gid: outside(process.getegid?.() ?? -1, 'gid_map'),
})

/** ENOENT comes from a file system such as /proc that lets nobody make a directory. */
const refused: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`)

/** The line that root types once: after it the directory is there, of this user, with that mode. */
const repair = (directory: string, code: unknown, mode: number | undefined): string => {
  if (code === 'EROFS') return `mount the file system of ${directory} for writing, or choose another directory`
  const { uid, gid } = hostIdentity()
  const path = quoted(directory)
  const steps = [
    ...(existsSync(directory) ? [] : [`mkdir -p ${path}`]),
    `chown -R ${uid}:${gid} ${path}`,
    ...(mode === undefined ? [] : [`chmod ${mode.toString(8).padStart(4, '0')} ${path}`]),
  ]
  return `run as root: ${steps.join(' && ')}`
}

/** `mode`: what the directory must have, where that is known. */
export const ownershipRefusal = (directory: string, cause: unknown, mode?: number): Refusal => {
  const code = codeOf(cause)
  return new Refusal(exits.noPermission, {
    detail: `expected a directory that uid ${hostIdentity().uid} can write, got ${directory}${typeof code === 'string' ? ` (${code})` : ''}`,
    hint: repair(directory, code, mode),
    cause,
  })
}

/** Gives the act's result; a lack of permission becomes a refusal with the one line that repairs owner and mode. */
export const orRefuse = async <T>(directory: string, act: () => Promise<T>, mode?: number): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw refused.includes(codeOf(error)) ? ownershipRefusal(directory, error, mode) : error
  }
}

/** Resolves to undefined where the file does not exist. Every other error is passed on. */
export const ifPresent = <T>(access: Promise<T>): Promise<T | undefined> =>
  access.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
