// Counts the files of a group up to limits of entries, depth and time. Links are not followed, and only directories are opened.
import { type FileHandle, lstat, opendir } from 'node:fs/promises'
import { limits } from '@gatehouse/contracts'
import { entryOf, openBeneath, openIn } from '../safe-fs.ts'

export interface Usage {
  bytes: number
  entries: number
  /** Why the count is incomplete. */
  beyond?: string
}

interface Count {
  readonly held: Usage
  /** On the clock of `performance`. */
  readonly until: number
}

const isBeyond = ({ held, until }: Count): boolean => {
  if (held.entries > limits.fileEntries) held.beyond ??= `more than ${limits.fileEntries} entries`
  else if (performance.now() > until) held.beyond ??= `more than can be counted in ${limits.fileCountTime / 1000} s`
  return held.beyond !== undefined
}

/** Those of the names that are directories. Looked at beside one another: one by one takes four times as long. */
const countNames = async (directory: FileHandle, names: readonly string[], { held }: Count): Promise<string[]> => {
  const found = await Promise.all(names.map((name) => lstat(entryOf(directory, name)).catch(() => undefined)))
  // Holes use no space.
  for (const entry of found) held.bytes += (entry?.blocks ?? 0) * 512
  return names.filter((_, index) => found[index]?.isDirectory() === true)
}

/** Directories in this one. */
const countHere = async (directory: FileHandle, count: Count): Promise<string[]> => {
  const below: string[] = []
  let names: string[] = []
  for await (const { name } of await opendir(`/proc/self/fd/${directory.fd}`, { bufferSize: 256 })) {
    count.held.entries += 1
    if (isBeyond(count)) break
    names.push(name)
    if (names.length < 64) continue
    below.push(...(await countNames(directory, names, count)))
    names = []
  }
  return [...below, ...(await countNames(directory, names, count))]
}

const countIn = async (directory: FileHandle, depth: number, count: Count): Promise<void> => {
  const below = await countHere(directory, count)
  if (below.length > 0 && depth >= limits.fileCountDepth) count.held.beyond ??= `directories more than ${limits.fileCountDepth} deep`
  for (const name of below) {
    if (isBeyond(count)) return
    // A removed or unreadable directory is skipped.
    await countBelow(directory, name, { depth: depth + 1, count }).catch(() => undefined)
  }
}

/** By the handle of what it lies in: from the root each would cost as much as it lies deep. */
const countBelow = async (directory: FileHandle, name: string, { depth, count }: { depth: number; count: Count }): Promise<void> => {
  const entry = await openIn(directory, name)
  try {
    await countIn(entry, depth, count)
  } finally {
    await entry.close()
  }
}

/** Stops at the first bound, and says which. */
export const usageIn = async (root: string): Promise<Usage> => {
  const count: Count = { held: { bytes: 0, entries: 0 }, until: performance.now() + limits.fileCountTime }
  await openBeneath(root, [], (directory) => countIn(directory, 0, count))
  return count.held
}
