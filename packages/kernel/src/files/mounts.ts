// What is mounted on this host, as the kernel has it now.
import { readFile } from 'node:fs/promises'

export interface Mounted {
  readonly point: string
  readonly source: string
  readonly readOnly: boolean
}

const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))

const parse = (line: string): Mounted => {
  const [left = '', right = ''] = line.split(' - ')
  const [, source = '', options = ''] = right.split(' ')
  return { point: unescape(left.split(' ')[4] ?? ''), source: unescape(source), readOnly: options.split(',').includes('ro') }
}

/** In the order in which they were made; a point with several mounts comes several times. */
export const readMounts = async (): Promise<Mounted[]> => (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map(parse)

/** Points in a directory and the directory itself. @param directory without links */
export const mountsBelow = async (directory: string): Promise<string[]> => {
  const points = (await readMounts()).map(({ point }) => point)
  return points.filter((point) => point === directory || point.startsWith(`${directory}/`))
}
