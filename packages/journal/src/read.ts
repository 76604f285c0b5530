// Reads entries back: forwards from a number, the newest first, or where an index says that they stand. Lines are found
// by halving, since numbers only grow.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { Placed, Position } from './batch.ts'
import { parseEntry } from './entry.ts'
import { type Line, lineStartAfter, linesBackward, linesForward, type Read } from './lines.ts'

/** A file as it stands. */
export interface Part {
  readonly number: number
  /** Of the line before its first. */
  readonly before: number
  readonly read: Read
  /** The end of its last line. */
  readonly end: number
}

/** Below this many bytes the lines are looked at one by one. */
const near = 64 * 1024

const entryOf = ({ start, bytes }: Line): AuditEntry => {
  const entry = parseEntry(bytes)
  if (entry !== undefined) return entry
  throw new ServiceError('internal', {
    detail: `expected an entry of the journal at byte ${start}, got something else`,
    hint: 'run svcctl audit verify',
  })
}

const firstLine = async (read: Read, start: number, end: number): Promise<Line | undefined> => {
  for await (const line of linesForward(read, start, end)) return line
  return undefined
}

/** Start of the first line numbered `seq` or higher; `end` if there is none. */
const find = async ({ read, end }: Part, seq: number): Promise<number> => {
  let low = 0
  let high = end
  while (high - low > near) {
    const middle = low + Math.floor((high - low) / 2)
    const start = await lineStartAfter(read, middle, high)
    const line = start === undefined ? undefined : await firstLine(read, start, end)
    if (line === undefined) high = middle
    else if (entryOf(line).seq < seq) low = line.start
    else high = middle
  }
  for await (const line of linesForward(read, low, end)) {
    if (entryOf(line).seq >= seq) return line.start
  }
  return end
}

/**
 * Those with a number above `seq`, oldest first.
 *
 * @param parts oldest first
 */
export async function* linesAfter(parts: readonly Part[], seq: number): AsyncGenerator<Placed> {
  const from = Math.max(
    0,
    parts.findLastIndex(({ before }) => before <= seq),
  )
  for (const part of parts.slice(from)) {
    const start = part.before >= seq ? 0 : await find(part, seq + 1)
    for await (const line of linesForward(part.read, start, part.end))
      yield { entry: entryOf(line), file: part.number, start: line.start, length: line.bytes.length }
  }
}

/** At most `limit` with a number below `before`, newest first. */
export const page = async (
  parts: readonly Part[],
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = []
  for (const part of parts.toReversed()) {
    if (entries.length >= limit) break
    if (before !== undefined && part.before >= before - 1) continue
    const end = before === undefined ? part.end : await find(part, before)
    if (end === 0) continue
    for await (const line of linesBackward(part.read, end - 1)) {
      entries.push(entryOf(line))
      if (entries.length >= limit) break
    }
  }
  return entries
}

/** The entry at this place; undefined if there is none, or another. */
export const entryAt = async (
  parts: readonly Part[],
  { seq, file, start, length }: Position & { readonly seq: number },
): Promise<AuditEntry | undefined> => {
  const part = parts.find(({ number }) => number === file)
  if (part === undefined || start + length > part.end) return undefined
  const entry = parseEntry(await part.read(start, length))
  return entry?.seq === seq ? entry : undefined
}
