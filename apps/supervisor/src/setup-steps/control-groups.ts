// Control groups of version 1, where nothing is delegated: a directory in each hierarchy that belongs to the unit. Version 2 needs none of it.
import { chmod, chown, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMounts, wallMs } from '@gatehouse/kernel'
import type { Site, Step } from './step.ts'

/** What a group of this hierarchy has that its owner may write: who is in it, what all sandboxes share, and itself, which is looked at. */
const owned = ['cgroup.procs', 'tasks', 'cpu.shares', ''] as const
/** Empty in a new group, and then nobody can enter it. */
const inherited = ['cpuset.cpus', 'cpuset.mems'] as const

const unlessAbsent = <T>(error: NodeJS.ErrnoException, instead: T): T => {
  if (error.code === 'ENOENT') return instead
  throw error
}

/** Empty where the host has version 2 alone. */
const directories = async (): Promise<string[]> => {
  const mounted = (await readMounts()).filter(({ type }) => type === 'cgroup' || type === 'cgroup2')
  if (mounted.every(({ type }) => type === 'cgroup2')) return []
  return [...new Set(mounted.map(({ point }) => join(point, 'gatehouse')))]
}

const ownerOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ uid }) => uid,
    (error: NodeJS.ErrnoException) => unlessAbsent(error, null),
  )

const below = async (path: string): Promise<string[]> =>
  (await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => unlessAbsent(error, [])))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name))

/** Milliseconds after which a group that nobody is in is nobody's: another unit of this host makes one before it is entered. */
const settled = 60_000

const isSettled = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => wallMs() - mtimeMs > settled,
    () => false,
  )

/** What a unit has left, and its successor could not use. Groups that are in use stay. */
const removeEmpty = async (path: string): Promise<void> => {
  for (const group of await below(path)) {
    const isOld = await isSettled(group)
    await removeEmpty(group)
    if (isOld) await rmdir(group).catch(() => undefined)
  }
}

const make = async (path: string, { owner }: Site): Promise<void> => {
  await mkdir(path, { recursive: true })
  await removeEmpty(path)
  await chmod(path, 0o755)
  for (const name of inherited) {
    const above = await readFile(join(path, '..', name), 'utf8').catch((error: NodeJS.ErrnoException) => unlessAbsent(error, ''))
    if (above.trim() !== '') await writeFile(join(path, name), above)
  }
  for (const name of owned)
    await chown(join(path, name), owner.uid, owner.gid).catch((error: NodeJS.ErrnoException) => unlessAbsent(error, undefined))
}

export const controlGroups: Step = {
  name: 'control-groups',
  isWanted: ({ userNamespace }) => userNamespace !== null,
  async look({ owner }) {
    const all = await directories()
    if (all.length === 0) return { state: 'ready', says: 'of version 2: delegated by systemd' }
    const owners = await Promise.all(all.map(ownerOf))
    const lacking = all.find((_, index) => owners[index] !== owner.uid)
    if (lacking === undefined) return { state: 'ready', says: `${all.length} directories of ${owner.uid}` }
    return { state: 'lacking', says: `${lacking} is not there, or of somebody else` }
  },
  async make(site) {
    for (const path of await directories()) await make(path, site)
  },
  async remove() {
    const stay: string[] = []
    for (const path of await directories()) {
      await removeEmpty(path)
      await rmdir(path).catch((error: NodeJS.ErrnoException) => error.code === 'ENOENT' || stay.push(`${path} stays: ${error.code}`))
    }
    return stay.length === 0 ? undefined : stay.join('; ')
  },
}
