// What this host has now: mounted file systems, and programs in the standard directories. Never looks at the environment.
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
      // not in this one
    }
  }
  return null
}

/** The same of util-linux; `Refusal` 78 where it is not there. */
export const needProgram = async (name: string): Promise<string> => {
  const path = await findProgram(name)
  if (path !== null) return path
  throw new Refusal(exits.configuration, { detail: `expected the program ${name}, got none`, hint: 'apt-get install util-linux mount' })
}

export interface Mounted {
  readonly point: string
  /** Kind of file system. */
  readonly type: string
  readonly source: string
  /** Of its file system, as after a fault of the disk below. */
  readonly readOnly: boolean
  /** Of this mount alone. */
  readonly flags: readonly string[]
}

const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))

const parse = (line: string): Mounted => {
  const [left = '', right = ''] = line.split(' - ')
  const [, , , , point = '', flags = ''] = left.split(' ')
  const [type = '', source = '', options = ''] = right.split(' ')
  const readOnly = options.split(',').includes('ro')
  return { point: unescape(point), type, source: unescape(source), readOnly, flags: flags.split(',') }
}

/** In the order in which they were made; a point with several mounts comes several times. */
export const readMounts = async (): Promise<Mounted[]> => (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map(parse)

/** Points in a directory and the directory itself. @param directory without links */
export const mountsBelow = async (directory: string): Promise<string[]> => {
  const points = (await readMounts()).map(({ point }) => point)
  return points.filter((point) => point === directory || point.startsWith(`${directory}/`))
}
