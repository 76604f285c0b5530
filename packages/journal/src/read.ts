// Reads entries back: forwards from a number, or the newest first. Lines are found by halving, since numbers only grow.
import { type AuditEntry, ServiceError } from '@gatehouse/contracts'
import { parseEntry } from './entry.ts'
import { type Line, lineStartAfter, linesBackward, linesForward, type Read } from './lines.ts'

/** A file as it stands: `end` is the end of its last line. */
export interface Readable {
  readonly read: Read
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
const find = async ({ read, end }: Readable, seq: number): Promise<number> => {
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

/** Those with a number above `seq`, oldest first. */
export async function* entriesAfter(file: Readable, seq: number): AsyncGenerator<AuditEntry> {
  const start = await find(file, seq + 1)
  for await (const line of linesForward(file.read, start, file.end)) yield entryOf(line)
}

/** At most `limit` with a number below `before`, newest first. */
export const page = async (file: Readable, { limit, before }: { limit: number; before?: number | undefined }): Promise<AuditEntry[]> => {
  const end = before === undefined ? file.end : await find(file, before)
  const entries: AuditEntry[] = []
  if (end === 0 || limit < 1) return entries
  for await (const line of linesBackward(file.read, end - 1)) {
    entries.push(entryOf(line))
    if (entries.length >= limit) break
  }
  return entries
}
