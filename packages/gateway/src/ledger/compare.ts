// Whether the journal still holds what the database has seen of it. A cut or exchanged journal is tampering.
import type { Head, Journal } from '@gatehouse/journal'

const exchanged = (seq: number): string => `line ${seq} of the journal is not the one that the database has seen`

/** The reason why the two do not belong together; undefined when they do. */
export const compare = async (journal: Journal, seen: Head): Promise<string | undefined> => {
  const head = journal.head()
  if (head.seq < seen.seq) return `the journal ends at line ${head.seq}, but the database has seen line ${seen.seq}`
  if (head.seq === seen.seq) return head.hash === seen.hash ? undefined : exchanged(seen.seq)
  for await (const next of journal.entriesAfter(seen.seq)) {
    return next.seq === seen.seq + 1 && next.hash === seen.hash ? undefined : exchanged(seen.seq)
  }
  return `the journal says that it has ${head.seq} lines, but ends at line ${seen.seq}`
}
