// The disk of a group: an ext4 image mounted over the group's files. Names, sizes and mount state.
import { open } from 'node:fs/promises'
import { limits, workspaceBounds } from '@gatehouse/contracts'
import { type MountEntry, readMounts } from '@gatehouse/kernel'

export interface Disk {
  /** Path of the image, in a directory of the host. */
  readonly image: string
  /** Absolute path without symbolic links. */
  readonly point: string
  readonly MiB: number
}

/** Names beside the image that exist only while it is created. */
export const besides = (image: string) => ({
  /** The next image, incomplete. */
  making: `${image}.making`,
  /** Where the next image is mounted. */
  filling: `${image}.filling`,
  /** A directory with files that are in the image already. */
  copied: `${image}.copied`,
})

/** The required size of a group's file system for its limit, and its current size. */
const MiB = 1024 * 1024
const inodeBytes = 256
const journalMiB = 4
const fixedMiB = 1
/** Space that ext4 reserves in a larger file system. */
const mostKeptMiB = 16

export interface DiskSize {
  readonly bytes: number
  readonly inodes: number
}

/** The minimum number of inodes. A group with more files keeps them. */
export const sizeOf = (MiBs: number, least: Partial<DiskSize> = {}): DiskSize => {
  const whole = Math.max(MiBs, Math.ceil((least.bytes ?? 0) / MiB))
  const inodes = Math.max(Math.ceil((limits.sandboxWorkspaceInodes * whole) / 1024), least.inodes ?? 0)
  const kept = Math.min(mostKeptMiB, Math.floor(whole / 64))
  return { bytes: (whole + journalMiB + fixedMiB + kept + Math.ceil((inodes * inodeBytes) / MiB)) * MiB, inodes }
}

const superblock = 1024

/** Size in bytes of the file system in an image, from its superblock. */
export const readSize = async (image: string): Promise<number> => {
  const file = await open(image, 'r')
  try {
    const block = Buffer.alloc(1024)
    await file.read(block, 0, block.length, superblock)
    if (block.readUInt16LE(0x38) !== 0xef53) throw new Error(`${image} contains no ext4 file system`)
    const [low, high] = [block.readUInt32LE(0x4), block.readUInt32LE(0x150)]
    return (high * 2 ** 32 + low) * 1024 * 2 ** block.readUInt32LE(0x18)
  } finally {
    await file.close()
  }
}

/** The trial disk has the smallest size that a group can have. */
export const trialMiB = workspaceBounds.least
/** A name below the directory of groups that no group can have. */
export const trialName = '.trial'

/** The last mount hides the earlier ones. */
export const mountedAt = async (point: string): Promise<MountEntry | undefined> =>
  (await readMounts()).findLast((mounted) => mounted.point === point)

export const isMounted = async (point: string): Promise<boolean> => (await mountedAt(point)) !== undefined

/** The device of a mount; undefined where nothing is mounted. */
export const deviceAt = async (point: string): Promise<string | undefined> => (await mountedAt(point))?.source

/** After an error of the host's disk the kernel makes the file system read-only. */
export const isReadOnly = async (point: string): Promise<boolean> => (await mountedAt(point))?.readOnly ?? false
