// What is mounted on this host, as the kernel has it now.
import { readFile } from 'node:fs/promises'

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
