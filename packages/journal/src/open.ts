// Opens a journal: one file, one writer, lines chained by hashes and signed from time to time.
import type { AuditEntry } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { type Appended, Appender } from './appender.ts'
import type { Head, JournalInput } from './chain.ts'
import { checkpointOf } from './checkpoint.ts'
import { JournalFile } from './journal-file.ts'
import { publishKey, signingKey } from './keys.ts'
import { entriesAfter, page } from './read.ts'
import { recover } from './recover.ts'

export interface Journal {
  /**
   * On disk when it resolves; a call's lines keep their order, calls theirs. Rejects with `audit-unwritable` while the
   * file is not what it must be or the disk fails: then no line of the call stands, and a later call tries anew.
   * An empty list writes nothing and says whether the file is what it must be.
   */
  append(lines: readonly JournalInput[]): Promise<Appended>
  /** The last line on disk, a checkpoint perhaps. */
  head(): Head
  /** What was on disk when it is called, oldest first. */
  entriesAfter(seq: number): AsyncIterable<AuditEntry>
  /** Newest first. */
  page(options: { limit: number; before?: number }): Promise<AuditEntry[]>
  /** Signs the head, if lines were added since the last time. */
  checkpoint(): Promise<void>
  /** Signs the head and closes; a checkpoint that cannot be written is logged. */
  close(): Promise<void>
}

export interface JournalOptions {
  readonly path: string
  readonly publicKeyPath: string
  /** 32 bytes. */
  readonly seed: Buffer
  readonly epoch: number
  readonly log: Logger
}

const checkpointTime = 60_000

/**
 * Throws a `Refusal` if the file cannot be opened or is none of ours. One that may not be written now is no refusal:
 * it can be read, and appends say what is wrong until it is put right.
 */
export const openJournal = async ({ path, publicKeyPath, seed, epoch, log }: JournalOptions): Promise<Journal> => {
  const key = signingKey(seed)
  await publishKey(publicKeyPath, key)
  const { opened, place } = await recover(path)
  const file = new JournalFile(opened)
  const appender = new Appender({ file, place, sign: (head) => checkpointOf(head, epoch, key), log })
  // The appender has logged why.
  await appender.append([]).catch(() => {})
  const timer = setInterval(() => void appender.checkpoint().catch(() => {}), checkpointTime).unref()
  const readable = () => ({ read: file.read, end: file.size })
  return {
    append: (lines) => appender.append(lines),
    head: () => appender.head,
    entriesAfter: (seq) => entriesAfter(readable(), seq),
    page: (options) => page(readable(), options),
    checkpoint: () => appender.checkpoint(),
    async close() {
      clearInterval(timer)
      await appender.close().catch((error: unknown) => log.warn('closed without a checkpoint', { error }))
      await file.close()
    },
  }
}
