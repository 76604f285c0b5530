// Where this host keeps control groups for memory, processes and processors: version 1, version 2, or a mix of both.
import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const controllers = ['memory', 'pids', 'cpu'] as const
export type Controller = (typeof controllers)[number]

/** Directory of the groups of all installations, below each base. */
export const groupsHome = 'gatehouse'

export interface Place {
  readonly version: 1 | 2
  /** Directory below which groups are made. */
  readonly base: string
}

export interface Hierarchy extends Readonly<Record<Controller, Place>> {
  /** Where an engine may make groups of a sandbox that have no limit: every hierarchy of this host, as far as it is ours. */
  readonly bases: readonly string[]
  /** The unit's own processes lie at the top, where each of them counts for the processors as much as all of our groups together. */
  readonly beside: boolean
  /** Ours in part alone: whoever has gone into a group of version 1 cannot go back to where it came from. */
  readonly delegated: boolean
}

interface MountEntry {
  readonly point: string
  readonly type: string
  readonly options: readonly string[]
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

const parseMounts = (text: string): MountEntry[] =>
  text.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ')
    const point = left.split(' ')[4]
    const [type = '', , options = ''] = right.split(' ')
    return point !== undefined && type.startsWith('cgroup') ? [{ point, type, options: options.split(',') }] : []
  })

/** The path of this process in the hierarchy of version 2. */
const ownPath = async (): Promise<string> => /^0::(.*)$/m.exec(await readText('/proc/self/cgroup'))?.[1] ?? '/'

/** The path of this process where processors are shared out. */
const ownPathFor = async ({ version }: Place): Promise<string> =>
  version === 2 ? ownPath() : (/^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(await readText('/proc/self/cgroup'))?.[1] ?? '/')

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  )

/** Root uses the top; anybody else what was delegated: its own group, or the one above it. */
const basesOfTwo = async (point: string, root: boolean): Promise<string[]> => {
  if (root) return [point]
  const own = join(point, await ownPath())
  const candidates = own === point ? [own] : [dirname(own), own]
  const writable = await Promise.all(candidates.map(isWritable))
  return candidates.filter((_, index) => writable[index])
}

/** Root uses all; anybody else those in which a directory is ours, such as `gatehouse setup` makes in version 1. */
const ownMounts = async (mounts: readonly MountEntry[], root: boolean): Promise<readonly MountEntry[]> => {
  if (root) return mounts
  const own = await Promise.all(mounts.map(({ point }) => isWritable(join(point, groupsHome))))
  return mounts.filter((_, index) => own[index])
}

/** Null where one of the three controllers cannot be had. Reads, changes nothing. `root`: of the host, not of a user namespace. */
export const findHierarchy = async (root: boolean): Promise<Hierarchy | null> => {
  const mounts = parseMounts(await readText('/proc/self/mountinfo'))
  const own = await ownMounts(mounts, root)
  const two = mounts.find(({ type }) => type === 'cgroup2')
  const ofTwo = two === undefined ? [] : await basesOfTwo(two.point, root)
  const place = async (controller: Controller): Promise<Place | null> => {
    const one = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller))
    if (one !== undefined) return own.includes(one) ? { version: 1, base: one.point } : null
    for (const base of ofTwo) {
      const has = (await readText(join(base, 'cgroup.controllers'))).trim().split(' ')
      if (has.includes(controller)) return { version: 2, base }
    }
    return null
  }
  const [memory, pids, cpu] = await Promise.all([place('memory'), place('pids'), place('cpu')])
  if (memory === null || pids === null || cpu === null) return null
  const bases = new Set([...own.map(({ point }) => point), memory.base, pids.base, cpu.base])
  return { memory, pids, cpu, bases: [...bases], beside: (await ownPathFor(cpu)) === '/', delegated: !root }
}
