// The disk of a group: an ext4 image mounted over the files of the group. Its names, sizes and mount state.
import { open } from 'node:fs/promises'
import { limits, workspaceBounds } from '@gatehouse/contracts'
import { type MountEntry, readMounts } from '@gatehouse/kernel'

export interface Disk {
  /** Lies beside others in a directory of the host's own. */
  readonly image: string
  /** Absolute and without links. */
  readonly point: string
  readonly MiB: number
}

/** Names beside the image that hold something only while it is being made. */
export const besides = (image: string) => ({
  /** The next image, not complete. */
  making: `${image}.making`,
  /** Where the next image is mounted. */
  filling: `${image}.filling`,
  /** What is in the image already. */
  copied: `${image}.copied`,
})

/** How large the file system of a group must be for what the group may keep, and how large one is. */
const MiB = 1024 * 1024
const inodeBytes = 256
const journalMiB = 4
const fixedMiB = 1
/** What ext4 keeps back for itself of a larger file system. */
const mostKeptMiB = 16

export interface DiskSize {
  readonly bytes: number
  readonly inodes: number
}

/** Fewer files than `inodes` are never needed: a group that has more already keeps them. */
export const sizeOf = (MiBs: number, least: Partial<DiskSize> = {}): DiskSize => {
  const whole = Math.max(MiBs, Math.ceil((least.bytes ?? 0) / MiB))
  const inodes = Math.max(Math.ceil((limits.sandboxWorkspaceInodes * whole) / 1024), least.inodes ?? 0)
  const kept = Math.min(mostKeptMiB, Math.floor(whole / 64))
  return { bytes: (whole + journalMiB + fixedMiB + kept + Math.ceil((inodes * inodeBytes) / MiB)) * MiB, inodes }
}

const superblock = 1024

/** Bytes of the file system in an image, as its first block says. */
export const readSize = async (image: string): Promise<number> => {
  const file = await open(image, 'r')
  try {
    const block = Buffer.alloc(1024)
    await file.read(block, 0, block.length, superblock)
    if (block.readUInt16LE(0x38) !== 0xef53) throw new Error(`expected an ext4 file system in ${image}, got something else`)
    const [low, high] = [block.readUInt32LE(0x4), block.readUInt32LE(0x150)]
    return (high * 2 ** 32 + low) * 1024 * 2 ** block.readUInt32LE(0x18)
  } finally {
    await file.close()
  }
}

/** The disk on which it is tried whether groups can have one: as small as the smallest that a group may have. */
export const trialMiB = workspaceBounds.least
/** Below the directory of groups: no group can have such a name. */
export const trialName = '.trial'

/** The last of them hides those before it. */
export const mountedAt = async (point: string): Promise<MountEntry | undefined> =>
  (await readMounts()).findLast((mounted) => mounted.point === point)

export const isMounted = async (point: string): Promise<boolean> => (await mountedAt(point)) !== undefined

/** The device behind a mount; undefined where nothing is mounted. */
export const deviceAt = async (point: string): Promise<string | undefined> => (await mountedAt(point))?.source

/** After a fault of the host's own disk the kernel lets nobody write there any more. */
export const isReadOnly = async (point: string): Promise<boolean> => (await mountedAt(point))?.readOnly ?? false
