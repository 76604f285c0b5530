// What a backup lacks, told in the log: bounded, however much an agent makes that cannot be archived, and each group's
// own, so that none hides what another lacks.
import { visible } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { ownerOf } from './room.ts'

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
