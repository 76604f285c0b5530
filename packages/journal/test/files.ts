// The names and contents of the journal files in a directory.
import type { AuditEntry } from '@gatehouse/contracts'
import type { Journal, JournalOptions, LocatedEntry } from '../src/index.ts'
import { rotatedNumbers, rotatedPath } from '../src/rotated.ts'
import { newOptions, openFor, type Lasting, line, rawLines } from './state.ts'

/** A file is rotated after its fifth or sixth line. */
export const fileSize = 1500

/** Oldest first, the current one last. */
export const pathsOf = async (path: string): Promise<string[]> => [
  ...(await rotatedNumbers(path)).map((number) => rotatedPath(path, number)),
  path,
]

/** The lines of each file, without newlines. */
export const filesOf = async (path: string): Promise<string[][]> => (await pathsOf(path)).map(rawLines)

export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Appends each line in a call of its own. */
export const appendEach = async (journal: Journal, texts: readonly string[]): Promise<LocatedEntry[]> => {
  const placed: LocatedEntry[] = []
  for (const text of texts) placed.push(...(await journal.append([line(text)])).lines)
  return placed
}

/** A file is rotated after the append that filled it has resolved. */
export const settle = async (journal: Journal): Promise<void> => void (await journal.append([]))

export const numbered = (count: number, from = 1): string[] => Array.from({ length: count }, (_, index) => `line ${from + index}`)

/** Texts of the lines that callers appended. */
export const given = (entries: readonly AuditEntry[]): unknown[] =>
  entries.flatMap(({ stage, detail }) => (stage === 'submit' ? [detail['text']] : []))

/** A journal of this number of lines in small files. */
export const openSmall = async (
  t: Lasting,
  count: number,
): Promise<{ options: JournalOptions; journal: Journal; placed: LocatedEntry[] }> => {
  const options = { ...newOptions(t), fileSize }
  const journal = await openFor(t, options)
  const placed = await appendEach(journal, numbered(count))
  await settle(journal)
  return { options, journal, placed }
}
