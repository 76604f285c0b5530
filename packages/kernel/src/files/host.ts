// Reads properties of this host: mounted file systems, and programs in the standard directories. Ignores the environment.
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '../life/refusal.ts'

const directories = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'] as const

export const programPath = directories.join(':')

/** Absolute path of a program, or null. Reads the disk. */
export const findProgram = async (name: string): Promise<string | null> => {
  for (const directory of directories) {
    const path = join(directory, name)
    try {
      await access(path, constants.X_OK)
      return path
    } catch {
      // Not in this directory.
    }
  }
  return null
}

/** The absolute path of a util-linux program. Rejects with `Refusal` 78 where it is not installed. */
export const needProgram = async (name: string): Promise<string> => {
  const path = await findProgram(name)
  if (path !== null) return path
  throw new Refusal(exits.configuration, { detail: `program ${name} not found`, hint: 'apt-get install util-linux mount' })
}

export interface MountEntry {
  readonly point: string
  /** File system type. */
  readonly type: string
  readonly source: string
  /** Whether the file system is read-only, for example after a disk error. */
  readonly readOnly: boolean
  /** Options of this mount only. */
  readonly flags: readonly string[]
}

const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))

const parse = (line: string): MountEntry => {
  const [left = '', right = ''] = line.split(' - ')
  const [, , , , point = '', flags = ''] = left.split(' ')
  const [type = '', source = '', options = ''] = right.split(' ')
  const readOnly = options.split(',').includes('ro')
  return { point: unescape(point), type, source: unescape(source), readOnly, flags: flags.split(',') }
}

/** In mount order. A point with several mounts appears several times. */
export const readMounts = async (): Promise<MountEntry[]> => (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map(parse)

/** Mount points in a directory, the directory included. @param directory a path without symbolic links */
export const readMountsBelow = async (directory: string): Promise<string[]> => {
  const points = (await readMounts()).map(({ point }) => point)
  return points.filter((point) => point === directory || point.startsWith(`${directory}/`))
}
