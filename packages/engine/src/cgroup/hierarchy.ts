// Finds the control group hierarchies for memory, processes and processors: version 1, version 2, or both.
import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const controllers = ['memory', 'pids', 'cpu'] as const
export type Controller = (typeof controllers)[number]

/** Directory of the groups of all installations, below each base. */
export const groupsHome = 'gatehouse'

export interface Place {
  readonly version: 1 | 2
  /** Directory below which groups are created. */
  readonly base: string
}

export interface Hierarchy extends Readonly<Record<Controller, Place>> {
  /** Where an engine may create unlimited groups of a sandbox: every hierarchy of this host that is delegated to this user. */
  readonly bases: readonly string[]
  /** The processes of the unit are at the top, where each has the same processor weight as all sandbox groups together. */
  readonly beside: boolean
  /** Partly delegated: a process that has joined a group of version 1 cannot return to its former group. */
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

/** The path of this process in the hierarchy of the cpu controller. */
const ownPathFor = async ({ version }: Place): Promise<string> =>
  version === 2 ? ownPath() : (/^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(await readText('/proc/self/cgroup'))?.[1] ?? '/')

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  )

/** Root uses the top; another user the delegated group, which is its own or the parent. */
const basesOfTwo = async (point: string, root: boolean): Promise<string[]> => {
  if (root) return [point]
  const own = join(point, await ownPath())
  const candidates = own === point ? [own] : [dirname(own), own]
  const writable = await Promise.all(candidates.map(isWritable))
  return candidates.filter((_, index) => writable[index])
}

/** Root uses all; another user those with a directory that it owns, such as `gatehouse setup` creates in version 1. */
const ownMounts = async (mounts: readonly MountEntry[], root: boolean): Promise<readonly MountEntry[]> => {
  if (root) return mounts
  const own = await Promise.all(mounts.map(({ point }) => isWritable(join(point, groupsHome))))
  return mounts.filter((_, index) => own[index])
}

/** Null where one of the three controllers is not available. Changes nothing. @param root whether this is root of the host, not of a user namespace */
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
