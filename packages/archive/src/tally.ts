// Sums up what an archive holds, the same way when it is written and when it is read: order, names, kinds, modes, bytes.
import { createHash } from 'node:crypto'
import type { Entry } from './entry.ts'
import type { End } from './manifest.ts'

export interface Tally {
  /** `hash`: of the bytes of a file. */
  add(entry: Entry, bytes: number, hash: string): void
  end(): End
}

export const createTally = (): Tally => {
  const all = createHash('sha256')
  let entries = 0
  let bytes = 0
  return {
    add(entry, count, hash) {
      const target = entry.type === 'link' ? entry.target : ''
      all.update(`${JSON.stringify([entry.path, entry.type, entry.mode, entry.uid, entry.gid, count, hash, target])}\n`)
      entries += 1
      bytes += count
    },
    end: () => ({ entries, bytes, digest: all.copy().digest('hex') }),
  }
}
