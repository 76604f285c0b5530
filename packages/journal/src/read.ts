// Reads entries: forwards from a sequence number, newest first, or by location. Lines are found by binary search, because sequence
// numbers only increase.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import type { LocatedEntry, Position } from './batch.ts'
import { parseEntry } from './entry.ts'
import { type Line, lineStartAfter, linesBackward, linesForward, type Read } from './lines.ts'

/** A snapshot of a file. */
export interface Part {
  readonly number: number
  /** Sequence number of the line before its first. */
  readonly before: number
  readonly read: Read
  /** Offset of the end of its last line. */
  readonly end: number
}

/** Ranges up to this many bytes are scanned line by line. */
const scanRange = 64 * 1024

const toEntry = ({ start, bytes }: Line): AuditEntry => {
  const entry = parseEntry(bytes)
  if (entry !== undefined) return entry
  throw new ServiceError('internal', {
    detail: `no journal entry at byte ${start}`,
    hint: 'run svcctl audit verify',
  })
}

const firstLine = async (read: Read, start: number, end: number): Promise<Line | undefined> => {
  for await (const line of linesForward(read, start, end)) return line
  return undefined
}

/** Start of the first line with sequence number `seq` or higher; `end` if there is none. */
const findLine = async ({ read, end }: Part, seq: number): Promise<number> => {
  let low = 0
  let high = end
  while (high - low > scanRange) {
    const middle = low + Math.floor((high - low) / 2)
    const start = await lineStartAfter(read, middle, high)
    const line = start === undefined ? undefined : await firstLine(read, start, end)
    if (line === undefined) high = middle
    else if (toEntry(line).seq < seq) low = line.start
    else high = middle
  }
  for await (const line of linesForward(read, low, end)) {
    if (toEntry(line).seq >= seq) return line.start
  }
  return end
}

/**
 * The lines with a sequence number above `seq`, oldest first.
 *
 * @param parts oldest first
 */
export async function* linesAfter(parts: readonly Part[], seq: number): AsyncGenerator<LocatedEntry> {
  const from = Math.max(
    0,
    parts.findLastIndex(({ before }) => before <= seq),
  )
  for (const part of parts.slice(from)) {
    const start = part.before >= seq ? 0 : await findLine(part, seq + 1)
    for await (const line of linesForward(part.read, start, part.end))
      yield { entry: toEntry(line), file: part.number, start: line.start, length: line.bytes.length }
  }
}

/** At most `limit` entries with a sequence number below `before`, newest first. */
export const page = async (
  parts: readonly Part[],
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = []
  for (const part of parts.toReversed()) {
    if (entries.length >= limit) break
    if (before !== undefined && part.before >= before - 1) continue
    const end = before === undefined ? part.end : await findLine(part, before)
    if (end === 0) continue
    for await (const line of linesBackward(part.read, end - 1)) {
      entries.push(toEntry(line))
      if (entries.length >= limit) break
    }
  }
  return entries
}

/** The entry at this location; undefined if it is missing or another one. */
export const entryAt = async (
  parts: readonly Part[],
  { seq, file, start, length }: Position & { readonly seq: number },
): Promise<AuditEntry | undefined> => {
  const part = parts.find(({ number }) => number === file)
  if (part === undefined || start + length > part.end) return undefined
  const entry = parseEntry(await part.read(start, length))
  return entry?.seq === seq ? entry : undefined
}
