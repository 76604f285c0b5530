// Opens the journal's file again after a fault and makes sure that it holds what was acknowledged and nothing else.
import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256, syncPath } from '@gatehouse/kernel'
import type { Head } from './chain.ts'
import { checkShape, type Identity, sameFile, unwritable } from './guard.ts'
import { inspect } from './inspect.ts'
import { Inspector } from './inspector.ts'
import { blocks, journalFlags, linesBackward, readFrom } from './lines.ts'

const openFree = async (stem: string, n = 1): Promise<{ handle: FileHandle; path: string }> => {
  const path = `${stem}.torn-${n}`
  try {
    return { handle: await open(path, 'wx', 0o600), path }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return openFree(stem, n + 1)
    throw error
  }
}

/** The name of the file. */
const setAside = async (journal: string, bytes: Buffer): Promise<string> => {
  const { handle, path } = await openFree(join(dirname(journal), basename(journal, '.jsonl')))
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

/** What may be wrong with the file since it was last known to be sound. */
export type Doubt =
  /** It was not what it was left as. */
  | { readonly kind: 'altered' }
  /** Bytes of a failed append may stand at the end. */
  | { readonly kind: 'unfinished'; readonly bytes: Buffer }
  /** What an earlier process left unfinished stands at the end. */
  | { readonly kind: 'torn' }

export interface Sound {
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

const putBack = 'restore what it was (a copy to the last byte will do); appending goes on by itself'

/** A whole walk along the chain: afterwards every byte is what it was, wherever the file came from. */
const checkWhole = async (handle: FileHandle, { size, head }: Sound, path: string): Promise<void> => {
  const inspector = new Inspector({ start: undefined, known: [head] })
  const fault = (await inspect(blocks(readFrom(handle), size), inspector)) ?? inspector.end()
  if (fault !== undefined) throw unwritable(`${path}: expected the journal as it was left, got another content (${fault.reason})`, putBack)
}

const checkLast = async (handle: FileHandle, { size, head }: Sound, path: string): Promise<void> => {
  if (size === 0) return
  for await (const { bytes } of linesBackward(readFrom(handle), size - 1)) {
    if (sha256(bytes) === head.hash) return
    break
  }
  throw unwritable(`${path}: expected line ${head.seq} at the end, got another`, putBack)
}

const checkContent = async (
  handle: FileHandle,
  sound: Sound,
  { path, doubt, identity }: Faulty & { identity: Identity },
): Promise<void> => {
  if (doubt.kind === 'altered' || !sameFile(identity, sound.identity)) return checkWhole(handle, sound, path)
  if (doubt.kind === 'unfinished') return checkLast(handle, sound, path)
}

const mayCut = (surplus: Buffer, doubt: Doubt): boolean =>
  surplus.length === 0 || doubt.kind === 'torn' || (doubt.kind === 'unfinished' && doubt.bytes.subarray(0, surplus.length).equals(surplus))

interface Faulty {
  readonly path: string
  readonly doubt: Doubt
}

const settle = async (handle: FileHandle, sound: Sound, faulty: Faulty): Promise<Omit<Repaired, 'handle'>> => {
  const { path, doubt } = faulty
  const found = await handle.stat({ bigint: true })
  checkShape(path, found)
  const excess = Number(found.size) - sound.size
  const surplus = excess > 0 ? await readFrom(handle)(sound.size, excess) : Buffer.alloc(0)
  if (excess < 0 || !mayCut(surplus, doubt)) throw unwritable(`${path}: expected ${sound.size} bytes, got ${found.size}`, putBack)
  const identity = { dev: found.dev, ino: found.ino }
  await checkContent(handle, sound, { ...faulty, identity })
  const kept = surplus.length > 0 && doubt.kind === 'torn' ? await setAside(path, surplus) : undefined
  if (surplus.length > 0) await handle.truncate(sound.size)
  await handle.datasync()
  return { identity, kept }
}

/** Throws `audit-unwritable` while the fault lasts. */
export const repair = async (sound: Sound, faulty: Faulty): Promise<Repaired> => {
  const { path } = faulty
  const handle = await open(path, journalFlags).catch((error: unknown) => {
    throw unwritable(`${path}: expected the journal, it cannot be opened`, putBack, error)
  })
  try {
    return { handle, ...(await settle(handle, sound, faulty)) }
  } catch (error) {
    await handle.close()
    throw error instanceof Error && 'errno' in error
      ? unwritable(`${path}: the journal cannot be written`, 'free disk space or mend the disk', error)
      : error
  }
}
