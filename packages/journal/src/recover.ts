// Opens the files of a journal, makes the present one where there is none, and finds the last whole line.
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
  /** The present file has no line yet, and others were closed before it. */
  readonly begin: boolean
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** A crash in the middle of going on in a new file: the new one is whole before the old one has changed its name. */
const finishTurn = async (path: string): Promise<void> => {
  const next = nextPath(path)
  if (!isThere(next)) return
  if ((await rotatedNumbers(path)).length > 0 && !isThere(path)) await rename(next, path)
  else await rm(next)
  await syncPath(dirname(path))
}

const openOrMake = async (path: string): Promise<FileHandle> => {
  try {
    await finishTurn(path)
    const handle = await open(path, journalFlags | constants.O_CREAT, 0o600)
    await syncPath(dirname(path))
    return handle
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    throw new Refusal(code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? exits.noPermission : exits.configuration, {
      detail: `${path}: expected a journal that can be read and written, it cannot be opened (${code})`,
      hint: 'it must be a file of its own, mode 600, and belong to the user of this process',
      cause: error,
    })
  }
}

const foreign = (path: string): Refusal =>
  new Refusal(exits.configuration, {
    detail: `${path}: expected a journal, got a file without a single line of one`,
    hint: 'restore the state directory from a backup; nothing was changed',
  })

interface End {
  readonly link: Link
  readonly time: string
  /** Where the line ends. */
  readonly end: number
}

interface Walked extends End {
  readonly unsigned: number
  readonly checkpoint: Checkpoint | null
}

const nothing: Walked = { link: genesis, time: '', end: 0, unsigned: 0, checkpoint: null }

/**
 * Walks back over the last lines for one with nothing broken before it: where a power cut has lost a block in the
 * middle of a write, what follows the gap is as lost as the gap.
 */
const walkBack = async (handle: FileHandle, size: number, path: string): Promise<Walked> => {
  let found: End | undefined
  let broken = false
  let lines = 0
  let signed: { readonly behind: number; readonly checkpoint: Checkpoint | null } | undefined
  for await (const { start, bytes } of linesBackward(readFrom(handle), size)) {
    const end = start + bytes.length + 1
    if (end > size) continue
    const entry = parseEntry(bytes)
    if (entry === undefined) {
      broken = true
      found = signed = undefined
      lines = 0
      continue
    }
    found ??= { link: { seq: entry.seq, hash: sha256(bytes), prev: entry.hash }, time: entry.time, end }
    if (entry.stage === 'checkpoint') signed ??= { behind: lines, checkpoint: checkpointIn(entry) ?? null }
    lines += 1
    if (lines > checkpointEvery) break
  }
  if (found === undefined && broken) throw foreign(path)
  if (found === undefined) return nothing
  return { ...found, unsigned: signed?.behind ?? lines, checkpoint: signed?.checkpoint ?? null }
}

/** What the first line of the file follows. */
const beforeFirst = async (handle: FileHandle, end: number): Promise<Head | undefined> => {
  for await (const { bytes } of linesForward(readFrom(handle), 0, end)) {
    const entry = parseEntry(bytes)
    return entry === undefined ? undefined : { seq: entry.seq - 1, hash: entry.hash }
  }
  return undefined
}

/** The end of the last closed file, where the present one is empty. */
const walkSegment = async (segments: Segments, path: string): Promise<Walked> => {
  const last = segments.all.at(-1)
  if (last === undefined) return nothing
  await using handle = await open(last.path, journalFlags)
  return await walkBack(handle, last.size, path)
}

export const recover = async (path: string): Promise<Recovered> => {
  const handle = await openOrMake(path)
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true })
    const own = await walkBack(handle, Number(size), path)
    const segments = await Segments.open(path, await beforeFirst(handle, own.end))
    const begin = own.end === 0 && segments.all.length > 0
    const { link, time, unsigned, checkpoint } = begin ? await walkSegment(segments, path) : own
    const opened: Opened = { path, handle, identity: { dev, ino }, size: own.end, head: link, torn: own.end !== Number(size) }
    return { opened, segments, place: { link, time, unsigned }, checkpoint, begin }
  } catch (error) {
    await handle.close()
    throw error
  }
}
