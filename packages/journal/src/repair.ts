// Opens a journal file again after a fault and restores exactly the acknowledged content.
import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256, syncPath } from '@gatehouse/kernel'
import type { Head } from './chain.ts'
import { checkShape, type Identity, isSameFile, unwritable } from './guard.ts'
import { inspect } from './inspect.ts'
import { Inspector } from './inspector.ts'
import { blocks, journalFlags, linesBackward, readFrom } from './lines.ts'

const createUnused = async (stem: string, n = 1): Promise<{ handle: FileHandle; path: string }> => {
  const path = `${stem}.torn-${n}`
  try {
    return { handle: await open(path, 'wx', 0o600), path }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return createUnused(stem, n + 1)
    throw error
  }
}

/** Saves bytes in a new file beside the journal. Resolves to its name. */
const saveTornEnd = async (journal: string, bytes: Buffer): Promise<string> => {
  const { handle, path } = await createUnused(join(dirname(journal), basename(journal, '.jsonl')))
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await syncPath(dirname(path))
  return basename(path)
}

/** What may be wrong with the file since it was last known to be intact. */
export type SuspectedFault =
  /** Another program may have changed it. */
  | { readonly kind: 'altered' }
  /** Bytes of a failed append may be at the end. */
  | { readonly kind: 'unfinished'; readonly bytes: Buffer }
  /** An incomplete write of an earlier process is at the end. */
  | { readonly kind: 'torn' }

export interface IntactState {
  readonly identity: Identity
  /** Bytes up to the end of the last acknowledged line. */
  readonly size: number
  readonly head: Head
}

export interface Repaired {
  readonly handle: FileHandle
  readonly identity: Identity
  /** Name of the file to which a torn end was moved. */
  readonly kept: string | undefined
}

const restoreHint = 'restore the original file or an exact copy; appends resume automatically'

/** Verifies the whole chain, which proves that every byte is unchanged even in a copied file. */
const checkWhole = async (handle: FileHandle, { size, head }: IntactState, path: string): Promise<void> => {
  const inspector = new Inspector({ start: undefined, known: [head] })
  const fault = (await inspect(blocks(readFrom(handle), size), inspector)) ?? inspector.end()
  if (fault !== undefined) throw unwritable(`${path}: the content of the journal has changed (${fault.reason})`, restoreHint)
}

const checkLast = async (handle: FileHandle, { size, head }: IntactState, path: string): Promise<void> => {
  if (size === 0) return
  for await (const { bytes } of linesBackward(readFrom(handle), size - 1)) {
    if (sha256(bytes) === head.hash) return
    break
  }
  throw unwritable(`${path}: the last line is not line ${head.seq}`, restoreHint)
}

const checkContent = async (
  handle: FileHandle,
  sound: IntactState,
  { path, fault, identity }: RepairOptions & { identity: Identity },
): Promise<void> => {
  if (fault.kind === 'altered' || !isSameFile(identity, sound.identity)) return checkWhole(handle, sound, path)
  if (fault.kind === 'unfinished') return checkLast(handle, sound, path)
}

const mayTruncate = (excessBytes: Buffer, fault: SuspectedFault): boolean =>
  excessBytes.length === 0 ||
  fault.kind === 'torn' ||
  (fault.kind === 'unfinished' && fault.bytes.subarray(0, excessBytes.length).equals(excessBytes))

interface RepairOptions {
  readonly path: string
  readonly fault: SuspectedFault
}

const repairOpen = async (handle: FileHandle, sound: IntactState, options: RepairOptions): Promise<Omit<Repaired, 'handle'>> => {
  const { path, fault } = options
  const stats = await handle.stat({ bigint: true })
  checkShape(path, stats)
  const excess = Number(stats.size) - sound.size
  const excessBytes = excess > 0 ? await readFrom(handle)(sound.size, excess) : Buffer.alloc(0)
  if (excess < 0 || !mayTruncate(excessBytes, fault))
    throw unwritable(`${path}: expected ${sound.size} bytes, got ${stats.size}`, restoreHint)
  const identity = { dev: stats.dev, ino: stats.ino }
  await checkContent(handle, sound, { ...options, identity })
  const kept = excessBytes.length > 0 && fault.kind === 'torn' ? await saveTornEnd(path, excessBytes) : undefined
  if (excessBytes.length > 0) await handle.truncate(sound.size)
  await handle.datasync()
  return { identity, kept }
}

/** Rejects with `audit-unwritable` while the fault persists. */
export const repair = async (sound: IntactState, options: RepairOptions): Promise<Repaired> => {
  const { path } = options
  const handle = await open(path, journalFlags).catch((error: unknown) => {
    throw unwritable(`${path}: cannot open the journal`, restoreHint, error)
  })
  try {
    return { handle, ...(await repairOpen(handle, sound, options)) }
  } catch (error) {
    await handle.close()
    throw error instanceof Error && 'errno' in error
      ? unwritable(`${path}: the journal cannot be written`, 'free disk space or repair the disk', error)
      : error
  }
}
