// The files of a journal in a directory: what they are called and what is in them.
import type { AuditEntry } from '@gatehouse/contracts'
import type { Journal, JournalOptions, Placed } from '../src/index.ts'
import { rotatedNumbers, rotatedPath } from '../src/rotated.ts'
import { newOptions, openFor, type Lasting, line, rawLines } from './state.ts'

/** A file is closed behind its fifth or sixth line. */
export const fileSize = 1500

/** Oldest first, the present one last. */
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

/** One call each. */
export const appendEach = async (journal: Journal, texts: readonly string[]): Promise<Placed[]> => {
  const placed: Placed[] = []
  for (const text of texts) placed.push(...(await journal.append([line(text)])).lines)
  return placed
}

/** A file is closed behind the answer to the append that filled it. */
export const settle = async (journal: Journal): Promise<void> => void (await journal.append([]))

export const numbered = (count: number, from = 1): string[] => Array.from({ length: count }, (_, index) => `line ${from + index}`)

/** Those that a caller has given. */
export const given = (entries: readonly AuditEntry[]): unknown[] =>
  entries.flatMap(({ stage, detail }) => (stage === 'submit' ? [detail['text']] : []))

/** A journal of so many lines in files of a few. */
export const openSmall = async (t: Lasting, count: number): Promise<{ options: JournalOptions; journal: Journal; placed: Placed[] }> => {
  const options = { ...newOptions(t), fileSize }
  const journal = await openFor(t, options)
  const placed = await appendEach(journal, numbered(count))
  await settle(journal)
  return { options, journal, placed }
}
