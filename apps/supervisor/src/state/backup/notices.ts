// Reports what a backup could not include, bounded per group, and checks its free space.
import { type Entry, archiveLimits } from '@gatehouse/archive'
import { visible } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'

/** How much of an archive what others wrote may take: none may take the room of another, or more than a restore can bear. */
const GiB = 1024 ** 3

/** A quarter is for what is the unit's own. Names of directories and links are all in memory when they are restored. */
const most = { entries: archiveLimits.entries * 0.75, names: GiB / 2 }
/** Less is no hole that matters: a small file may take nothing of the disk, and a last block is seldom full. */
const hole = 4096

/** Whose it is: a group, or a directory of the state. */
const ownerOf = (path: string): string => path.split('/', path.startsWith('state/groups/') ? 3 : 2).join('/')

const costOf = (entry: Entry, occupied: number) => {
  const holes = entry.type === 'file' && entry.size - occupied >= hole ? entry.size - occupied : 0
  if (entry.type === 'file') return { entries: 1, names: 0, holes }
  return { entries: 1, names: Buffer.byteLength(entry.path) + (entry.type === 'link' ? Buffer.byteLength(entry.target) : 0), holes }
}

type Cost = ReturnType<typeof costOf>

const whyOf: Readonly<Record<keyof Cost, string>> = {
  entries: 'there are too many files beside it for one archive',
  names: 'there are too many directories and links with long names beside it for one archive',
  holes: 'it is larger than what it takes of the disk, and such files would take more than the disk has when they are restored',
}

const kinds = ['entries', 'names', 'holes'] as const

/** `free`: bytes of the disk. Each owner has half of what those before it left, and its entries must come in a row. */
export const createRoom = (free: number): ((entry: Entry, occupied: number) => string | undefined) => {
  const left: Record<keyof Cost, number> = { ...most, holes: Math.max(GiB, free / 2) }
  const share: Record<keyof Cost, number> = { entries: 0, names: 0, holes: 0 }
  let owner: string | undefined
  return (entry, occupied) => {
    const next = ownerOf(entry.path)
    if (next !== owner) for (const kind of kinds) share[kind] = left[kind] / 2
    owner = next
    const cost = costOf(entry, occupied)
    const lacking = kinds.find((kind) => cost[kind] > share[kind])
    if (lacking !== undefined) return whyOf[lacking]
    for (const kind of kinds) {
      share[kind] -= cost[kind]
      left[kind] -= cost[kind]
    }
    return undefined
  }
}

const mostOfOwner = 20
const longest = 400

const shown = (path: string): string => {
  const short = path.length > longest ? `${path.slice(0, longest / 2)}…${path.slice(-longest / 2)}` : path
  return visible(short.toWellFormed()).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

export interface Notices {
  readonly tell: (path: string, why: string) => void
  /** Says how many there were where not all were told. */
  readonly end: () => void
}

export const createNotices = (log: Logger): Notices => {
  const told = new Map<string, number>()
  return {
    tell(path, why) {
      const owner = ownerOf(path)
      const before = told.get(owner) ?? 0
      told.set(owner, before + 1)
      if (before < mostOfOwner) log.warn('not in the backup as it was', { path: shown(path), why })
    },
    end() {
      for (const [owner, count] of told)
        if (count > mostOfOwner) log.warn('more is not in the backup as it was', { path: shown(owner), more: count - mostOfOwner })
      told.clear()
    },
  }
}
