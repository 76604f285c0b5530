// Opens the files of a journal, creates the current one where it is missing, and finds the last complete line.
import { constants, lstatSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal, sha256, syncPath } from '@gatehouse/kernel'
import type { Place } from './batch.ts'
import { type Checkpoint, checkpointEvery, checkpointIn, genesis, type Head, type Link } from './chain.ts'
import { parseEntry } from './entry.ts'
import type { Opened } from './journal-file.ts'
import { journalFlags, linesBackward, linesForward, readFrom } from './lines.ts'
import { nextPath, rotatedNumbers } from './rotated.ts'
import { Segments } from './segments.ts'

export interface Recovered {
  readonly opened: Opened
  readonly segments: Segments
  readonly place: Place
  readonly checkpoint: Checkpoint | null
  /** The current file is empty and earlier files exist, so it has to begin with a checkpoint. */
  readonly begin: boolean
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Finishes a rotation after a crash. The new file is complete before the old one is renamed. */
const finishRotation = async (path: string): Promise<void> => {
  const next = nextPath(path)
  if (!exists(next)) return
  if ((await rotatedNumbers(path)).length > 0 && !exists(path)) await rename(next, path)
  else await rm(next)
  await syncPath(dirname(path))
}

const openOrCreate = async (path: string): Promise<FileHandle> => {
  try {
    await finishRotation(path)
    const handle = await open(path, journalFlags | constants.O_CREAT, 0o600)
    await syncPath(dirname(path))
    return handle
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    throw new Refusal(code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? exits.noPermission : exits.configuration, {
      detail: `${path}: cannot open the journal for reading and writing (${code})`,
      hint: 'it must be a regular file with mode 600 that the user of this process owns',
      cause: error,
    })
  }
}

const notJournalError = (path: string): Refusal =>
  new Refusal(exits.configuration, {
    detail: `${path}: not a journal: the file has no journal entry`,
    hint: 'restore the state directory from a backup; nothing was changed',
  })

interface End {
  readonly link: Link
  readonly time: string
  /** Offset of the end of the line. */
  readonly end: number
}

interface ChainEnd extends End {
  readonly unsigned: number
  readonly checkpoint: Checkpoint | null
}

const emptyChain: ChainEnd = { link: genesis, time: '', end: 0, unsigned: 0, checkpoint: null }

/**
 * Searches backwards for the last line without a broken line before it. Where a power loss has destroyed a block in the middle of a
 * write, the lines after the gap are lost too.
 */
const findChainEnd = async (handle: FileHandle, size: number, path: string): Promise<ChainEnd> => {
  let lastLine: End | undefined
  let broken = false
  let lines = 0
  let signed: { readonly behind: number; readonly checkpoint: Checkpoint | null } | undefined
  for await (const { start, bytes } of linesBackward(readFrom(handle), size)) {
    const end = start + bytes.length + 1
    if (end > size) continue
    const entry = parseEntry(bytes)
    if (entry === undefined) {
      broken = true
      lastLine = signed = undefined
      lines = 0
      continue
    }
    lastLine ??= { link: { seq: entry.seq, hash: sha256(bytes), prev: entry.hash }, time: entry.time, end }
    if (entry.stage === 'checkpoint') signed ??= { behind: lines, checkpoint: checkpointIn(entry) ?? null }
    lines += 1
    if (lines > checkpointEvery) break
  }
  if (lastLine === undefined && broken) throw notJournalError(path)
  if (lastLine === undefined) return emptyChain
  return { ...lastLine, unsigned: signed?.behind ?? lines, checkpoint: signed?.checkpoint ?? null }
}

/** The head before the first line of the file. */
const beforeFirst = async (handle: FileHandle, end: number): Promise<Head | undefined> => {
  for await (const { bytes } of linesForward(readFrom(handle), 0, end)) {
    const entry = parseEntry(bytes)
    return entry === undefined ? undefined : { seq: entry.seq - 1, hash: entry.hash }
  }
  return undefined
}

/** The end of the last closed file, used where the current file is empty. */
const findSegmentEnd = async (segments: Segments, path: string): Promise<ChainEnd> => {
  const last = segments.all.at(-1)
  if (last === undefined) return emptyChain
  await using handle = await open(last.path, journalFlags)
  return await findChainEnd(handle, last.size, path)
}

export const recover = async (path: string): Promise<Recovered> => {
  const handle = await openOrCreate(path)
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true })
    const own = await findChainEnd(handle, Number(size), path)
    const segments = await Segments.open(path, await beforeFirst(handle, own.end))
    const begin = own.end === 0 && segments.all.length > 0
    const { link, time, unsigned, checkpoint } = begin ? await findSegmentEnd(segments, path) : own
    const opened: Opened = { path, handle, identity: { dev, ino }, size: own.end, head: link, torn: own.end !== Number(size) }
    return { opened, segments, place: { link, time, unsigned }, checkpoint, begin }
  } catch (error) {
    await handle.close()
    throw error
  }
}
