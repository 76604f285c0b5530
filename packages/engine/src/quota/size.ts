// How large the file system of a group must be for what the group may keep, and how large one is.
import { open } from 'node:fs/promises'
import { limits } from '@gatehouse/contracts'

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
