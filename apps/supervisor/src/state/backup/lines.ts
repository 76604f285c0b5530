// Append-only files as of one moment: later lines and incomplete ones stay out.
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entry } from '@gatehouse/archive'
import { jsonBounds } from '@gatehouse/contracts'
import { jsonText, sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'

/** The bytes of a file, exactly as many as were promised: what was cut meanwhile is filled with zeros. */
const chunk = 256 * 1024

export interface Promised {
  readonly size: number
  /** Told when the file gave less. */
  readonly short: () => void
}

/** Closes the handle at the end. */
export async function* bodyOf(file: FileHandle, { size, short }: Promised): AsyncGenerator<Uint8Array> {
  try {
    let position = 0
    while (position < size) {
      const buffer = Buffer.allocUnsafe(Math.min(chunk, size - position))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    if (position < size) short()
    for (; position < size; position += chunk) yield Buffer.alloc(Math.min(chunk, size - position))
  } finally {
    await file.close()
  }
}

export interface Grown {
  readonly name: string
  readonly file: FileHandle
  readonly size: number
}

const tail = 64 * 1024

/** Where the last whole line ends. */
const endOfLines = async (file: FileHandle): Promise<number> => {
  let end = (await file.stat()).size
  while (end > 0) {
    const length = Math.min(tail, end)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, end - length)
    const newline = buffer.subarray(0, bytesRead).lastIndexOf(0x0a)
    if (newline >= 0) return end - length + newline + 1
    end -= length
  }
  return 0
}

const numberOf = (name: string, stem: string): number => {
  const number = new RegExp(`^${stem}\\.([1-9]\\d*)\\.jsonl$`).exec(name)?.[1]
  if (number !== undefined) return Number(number)
  return name === `${stem}.jsonl` ? Infinity : -1
}

const namesIn = async (stateDir: string, stem: string): Promise<string[]> =>
  (await readdir(stateDir)).filter((name) => numberOf(name, stem) >= 0).toSorted((a, b) => numberOf(a, stem) - numberOf(b, stem))

const close = async (opened: readonly Grown[]): Promise<void> => {
  for (const { file } of opened) await file.close()
}

/** `audit.1.jsonl`, `audit.2.jsonl`, … and `audit.jsonl` of one moment: what is renamed while they are opened is opened anew. */
export const openLines = async (stateDir: string, stem: string): Promise<readonly Grown[]> => {
  for (;;) {
    const names = await namesIn(stateDir, stem)
    const opened: Grown[] = []
    try {
      for (const name of names) {
        const file = await open(join(stateDir, name), 'r')
        opened.push({ name, file, size: 0 })
      }
      const sized = await Promise.all(opened.map(async ({ name, file }) => ({ name, file, size: await endOfLines(file) })))
      if ((await namesIn(stateDir, stem)).join() === names.join()) return sized
      await close(opened)
    } catch (error) {
      await close(opened)
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}

export async function* linesEntries(files: readonly Grown[], root: string): AsyncGenerator<Entry> {
  for (const { name, file, size } of files) {
    const { mode, uid, gid, mtime } = await file.stat()
    const short = (): void => {
      throw new Error(`${name}: expected ${size} bytes, got fewer: it was cut while it was read`)
    }
    yield { type: 'file', path: `${root}/${name}`, mode: mode & 0o777, uid, gid, mtime, size, body: bodyOf(file, { size, short }) }
  }
}

const Numbered = v.pipe(jsonText(jsonBounds.stateFile), v.object({ seq: v.number() }))

/** Number and hash of the last line; null where there is none. */
export const lastLine = async (files: readonly Grown[]): Promise<{ readonly seq: number; readonly hash: string } | null> => {
  const last = files.findLast(({ size }) => size > 0)
  if (last === undefined) return null
  for (let length = tail; ; length *= 2) {
    const from = Math.max(0, last.size - length)
    const { buffer } = await last.file.read(Buffer.alloc(last.size - from), 0, last.size - from, from)
    const start = buffer.subarray(0, -1).lastIndexOf(0x0a)
    if (start < 0 && from > 0) continue
    const line = buffer.subarray(start + 1, -1)
    return { seq: v.parse(Numbered, line.toString('utf8')).seq, hash: sha256(line) }
  }
}
