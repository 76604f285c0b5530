// What is mounted at a path of this host or below it, as the kernel has it now.
import { readFile } from 'node:fs/promises'

interface Mounted {
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

const readMounts = async (): Promise<Mounted[]> => (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map(parse)

/** In the order in which they were made; a point with several mounts comes several times. */
export const mountsBelow = async (directory: string): Promise<string[]> => {
  const points = (await readMounts()).map(({ point }) => point)
  return points.filter((point) => point === directory || point.startsWith(`${directory}/`))
}

const at = async (point: string): Promise<Mounted | undefined> => (await readMounts()).findLast((mounted) => mounted.point === point)

export const isMounted = async (point: string): Promise<boolean> => (await at(point)) !== undefined

/** The device behind a mount; undefined where nothing is mounted. */
export const deviceAt = async (point: string): Promise<string | undefined> => (await at(point))?.source

/** After a fault of the host's own disk the kernel lets nobody write there any more. */
export const isReadOnly = async (point: string): Promise<boolean> => (await at(point))?.readOnly ?? false
