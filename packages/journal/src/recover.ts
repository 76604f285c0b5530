// Opens the file of a journal, makes it where there is none, and finds its last whole line.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal, sha256 } from '@gatehouse/kernel'
import type { Place } from './batch.ts'
import { genesis, type Link } from './chain.ts'
import { checkpointEvery } from './checkpoint.ts'
import { parseEntry } from './entry.ts'
import type { Opened } from './journal-file.ts'
import { journalFlags, linesBackward, readFrom } from './lines.ts'

export interface Recovered {
  readonly opened: Opened
  readonly place: Place
}

const openOrMake = async (path: string): Promise<FileHandle> => {
  try {
    const handle = await open(path, journalFlags | constants.O_CREAT, 0o600)
    await using directory = await open(dirname(path), 'r')
    await directory.sync()
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

/** The last line that is one, and where it ends. */
const lastLine = async (handle: FileHandle, size: number, path: string): Promise<{ link: Link; end: number }> => {
  let broken = 0
  for await (const { start, bytes } of linesBackward(readFrom(handle), size)) {
    const end = start + bytes.length + 1
    const entry = end <= size ? parseEntry(bytes) : undefined
    if (entry !== undefined) return { link: { seq: entry.seq, hash: sha256(bytes), prev: entry.hash }, end }
    if (end <= size) broken += 1
  }
  if (broken > 0) throw foreign(path)
  return { link: genesis, end: 0 }
}

const countUnsigned = async (handle: FileHandle, end: number): Promise<number> => {
  let count = 0
  if (end === 0) return count
  for await (const { bytes } of linesBackward(readFrom(handle), end - 1)) {
    if (count >= checkpointEvery || parseEntry(bytes)?.stage === 'checkpoint') return count
    count += 1
  }
  return count
}

export const recover = async (path: string): Promise<Recovered> => {
  const handle = await openOrMake(path)
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true })
    const { link, end } = await lastLine(handle, Number(size), path)
    const opened: Opened = { path, handle, identity: { dev, ino }, size: end, head: link, torn: end !== Number(size) }
    return { opened, place: { link, unsigned: await countUnsigned(handle, end) } }
  } catch (error) {
    await handle.close()
    throw error
  }
}
