// Returns the memory of large documents to the system. V8 collects garbage when something allocates, so a process that becomes idle after
// a burst of large requests would hold their garbage for minutes. A timer looks at what the heap holds and collects once it is quiet:
// at most one collection in two looks, and none while requests come or where there is little to collect.
import { getHeapStatistics } from 'node:v8'

export interface MemorySource {
  /** Bytes of objects and buffers, garbage included. */
  readonly used: () => number
  readonly collect: () => void
}

const MiB = 1024 * 1024

/** Bytes beyond what was held at the lowest: less is not worth a pause of the process. */
const worthwhile = 12 * MiB
/** A process that allocated no more than this since the last look is quiet. */
const quiet = 3 * MiB
/** Milliseconds between two looks. */
const period = 2_000

/** Gives the function that looks, and collects where it should. */
export const createMemoryRelease = ({ used, collect }: MemorySource): (() => void) => {
  let held = used()
  let last = held
  return () => {
    const now = used()
    held = Math.min(held, now)
    const isQuiet = Math.abs(now - last) <= quiet
    last = now
    if (!isQuiet || now - held <= worthwhile) return
    collect()
    // What is left is in use. Buffers are freed beside the process, so the next looks may find less.
    held = last = used()
  }
}

const readUsed = (): number => {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** For as long as the process lives. Does nothing in a process that was started without `--expose-gc`. */
export const keepMemoryLow = (): void => {
  const { gc } = globalThis
  if (gc === undefined) return
  const collect = (): void => {
    gc()
  }
  setInterval(createMemoryRelease({ used: readUsed, collect }), period).unref()
}
