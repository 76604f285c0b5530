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

interface End {
  readonly link: Link
  /** Where the line ends. */
  readonly end: number
}

/**
 * Walks back over the last lines for one with nothing broken before it: where a power cut has lost a block in the
 * middle of a write, what follows the gap is as lost as the gap.
 */
const walkBack = async (handle: FileHandle, size: number, path: string): Promise<End & { unsigned: number }> => {
  let found: End | undefined
  let broken = false
  let stages: string[] = []
  for await (const { start, bytes } of linesBackward(readFrom(handle), size)) {
    const end = start + bytes.length + 1
    if (end > size) continue
    const entry = parseEntry(bytes)
    if (entry === undefined) {
      broken = true
      found = undefined
      stages = []
      continue
    }
    found ??= { link: { seq: entry.seq, hash: sha256(bytes), prev: entry.hash }, end }
    if (stages.push(entry.stage) > checkpointEvery) break
  }
  if (found === undefined && broken) throw foreign(path)
  const signed = stages.indexOf('checkpoint')
  return { ...(found ?? { link: genesis, end: 0 }), unsigned: signed === -1 ? stages.length : signed }
}

export const recover = async (path: string): Promise<Recovered> => {
  const handle = await openOrMake(path)
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true })
    const { link, end, unsigned } = await walkBack(handle, Number(size), path)
    const opened: Opened = { path, handle, identity: { dev, ino }, size: end, head: link, torn: end !== Number(size) }
    return { opened, place: { link, unsigned } }
  } catch (error) {
    await handle.close()
    throw error
  }
}
