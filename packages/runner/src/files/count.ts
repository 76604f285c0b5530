// How much a place of a group holds, counted to a bound; no link is followed and nothing opened but directories.
import { type FileHandle, lstat, opendir } from 'node:fs/promises'
import { limits } from '@gatehouse/contracts'
import { entryOf, openBeneath } from '../groups/plain.ts'

export interface Held {
  bytes: number
  entries: number
}

const countIn = async (root: string, names: readonly string[], held: Held): Promise<void> => {
  const below: string[] = []
  await openBeneath(root, names, async (directory: FileHandle) => {
    for await (const { name } of await opendir(`/proc/self/fd/${directory.fd}`, { bufferSize: 256 })) {
      held.entries += 1
      if (held.entries > limits.fileEntries) return
      const found = await lstat(entryOf(directory, name)).catch(() => undefined)
      // Holes take no room.
      held.bytes += (found?.blocks ?? 0) * 512
      if (found?.isDirectory() === true) below.push(name)
    }
  })
  for (const name of below) {
    if (held.entries > limits.fileEntries) return
    // A directory that went, or cannot be read, holds what it held.
    await countIn(root, [...names, name], held).catch(() => undefined)
  }
}

/** Stops counting beyond `limits.fileEntries`. */
export const heldIn = async (root: string): Promise<Held> => {
  const held = { bytes: 0, entries: 0 }
  await countIn(root, [], held)
  return held
}
