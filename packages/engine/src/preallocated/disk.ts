// Disks that root preallocated for groups, each mounted below one directory. Their names, by size and number.
import { stat, statfs } from 'node:fs/promises'
import { lostAndFound, readMounts } from '@gatehouse/kernel'
import { mountedAt, sizeOf, trialMiB } from '../disks/disk.ts'
import { hardened } from '../mount-namespace.ts'

/** @param disks the value for `--disks` */
export const setupHint = (disks: string, effect: string): string =>
  `gatehouse setup --disks ${disks} ${effect}: docs/how-to/bare-host.md (Disks of groups)`

export interface PremadeDisk {
  readonly name: string
  readonly MiB: number
  /** Mount point. */
  readonly path: string
}

/** Each disk uses a loop device. */
export const mostDisks = 256

const pattern = /^(\d{1,8})-(?:\d{2,3}|trial)$/
export const trialDisk = `${trialMiB}-trial`
export const diskName = (MiB: number, number: number): string => `${MiB}-${String(number).padStart(2, '0')}`

export const imageOf = ({ path }: Pick<PremadeDisk, 'path'>): string => `${path}.img`

/** Names at the root of a disk that do not belong to its group. */
export const markName = '.disk'
const fillingPrefix = '.fill-'
export const isApart = (name: string): boolean => name === lostAndFound || name === markName || name.startsWith(fillingPrefix)

/** The path to which files are copied; no other copy uses it. */
export const fillingOf = ({ path }: Pick<PremadeDisk, 'path'>, mark: string): string => `${path}/${fillingPrefix}${mark}`

/** Undefined for a name that is not a disk name. */
export const diskCalled = (directory: string, name: string): PremadeDisk | undefined => {
  const MiB = pattern.exec(name)?.[1]
  return MiB === undefined ? undefined : { name, MiB: Number(MiB), path: `${directory}/${name}` }
}

/** Mounted disks for groups, by number. Mounts are visible even without permission to list the directory. */
export const disksIn = async (directory: string): Promise<PremadeDisk[]> => {
  const names = (await readMounts()).flatMap(({ point }) => (point.startsWith(`${directory}/`) ? [point.slice(directory.length + 1)] : []))
  const found = [...new Set(names)].filter((name) => name !== trialDisk).flatMap((name) => diskCalled(directory, name) ?? [])
  return found.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }))
}

/** A file system of the host does not have this size. */
const isOfItsSize = async ({ path, MiB }: PremadeDisk): Promise<boolean> => {
  const { blocks, bsize } = await statfs(path)
  return blocks * bsize <= sizeOf(MiB).bytes * 1.25
}

/** Why the disk cannot be used, as a clause; undefined if it can. Without a mount its size would not be limited. */
export const faultOf = async (disk: PremadeDisk): Promise<string | undefined> => {
  const { path, MiB } = disk
  const mounted = await mountedAt(path)
  if (mounted === undefined) return `${path} is not mounted: ${setupHint(`1x${MiB}`, 'mounts the existing disks')}`
  if (mounted.readOnly || mounted.flags.includes('ro'))
    return `${path} is read-only: unmount it, run e2fsck on ${imageOf(disk)}, mount it again`
  const lacking = hardened.filter((flag) => !mounted.flags.includes(flag))
  if (lacking.length > 0)
    return `${path} is mounted without ${lacking.join(', ')}: unmount it, and ${setupHint(`1x${MiB}`, 'mounts it with them')}`
  if (!(await isOfItsSize(disk))) return `${path} is larger than ${MiB} MiB: something else is mounted there`
  const { uid } = await stat(path)
  if (uid !== process.geteuid?.()) return `${path} belongs to another user: ${setupHint(`1x${MiB} --owner UID`, 'changes its owner')}`
  return undefined
}

/** Why a group does not get a preallocated disk. */
export class DiskRefused extends Error {
  /** True if another disk has to be created; otherwise an existing one has to be repaired. */
  readonly scarce: boolean

  constructor(message: string, { scarce = false }: { readonly scarce?: boolean } = {}) {
    super(message)
    this.scarce = scarce
  }
}
