// Opens a journal: a sequence of files with one writer, whose lines are chained by hashes and signed periodically.
import { createPublicKey } from 'node:crypto'
import { type AuditEntry, limits } from '@gatehouse/contracts'
import { type Clock, createClock, type Logger, wallMs } from '@gatehouse/kernel'
import { type Appended, Appender } from './appender.ts'
import type { LocatedEntry, Position } from './batch.ts'
import { type Checkpoint, checkpointOf, genesis, type Head, type JournalInput } from './chain.ts'
import { Files } from './files.ts'
import { inspect } from './inspect.ts'
import { Inspector, type KnownHead } from './inspector.ts'
import { loadPublicKeys, publishKey, signingKey } from './keys.ts'
import { blocks } from './lines.ts'
import { entryAt, linesAfter, page, type Part } from './read.ts'
import { recover } from './recover.ts'
import { createReserve, type Reserve } from './reserve.ts'
import type { Verdict } from './verify.ts'

interface Expected {
  readonly publicKeyPath: string
  /** Includes the head in memory, so that lines removed from the disk are detected. */
  readonly known: readonly KnownHead[]
}

/** @param parts oldest first */
const verifyParts = async (parts: readonly Part[], { publicKeyPath, known }: Expected): Promise<Verdict> => {
  const inspector = new Inspector({ start: genesis, keys: await loadPublicKeys(publicKeyPath), known })
  for (const { read, end } of parts) {
    // A missing or unreadable file is a fault of the journal, not an error of this call.
    const fault = await inspect(blocks(read, end), inspector).catch((error: unknown) =>
      inspector.missing(error instanceof Error ? error.message : String(error)),
    )
    if (fault !== undefined) return { ok: false, ...fault }
  }
  const fault = inspector.end()
  return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
}

export interface Journal {
  /**
   * Appends lines in order; they are on disk when it resolves. Rejects with `audit-unwritable` while a file is altered or the disk fails:
   * then no line of the call remains, and a later call tries again. An empty list writes nothing and only checks the files.
   */
  append(lines: readonly JournalInput[]): Promise<Appended>
  /** The last line on disk, which may be a checkpoint. */
  head(): Head
  /** The last checkpoint on disk. */
  checkpoint(): Checkpoint | null
  /** The public key that verifies signatures, in PEM. */
  readonly publicKey: string
  /** The entries on disk at the time of the call, oldest first. */
  entriesAfter(seq: number): AsyncIterable<AuditEntry>
  /** Like `entriesAfter`, with the location of each line. */
  linesAfter(seq: number): AsyncIterable<LocatedEntry>
  /** Newest first. */
  page(options: { limit: number; before?: number }): Promise<AuditEntry[]>
  /** Entries by location, in the order of the argument. Entries that are not at their location are omitted. */
  entriesAt(places: readonly (Position & { readonly seq: number })[]): Promise<AuditEntry[]>
  /** Reads the whole journal from disk and verifies the chain, the signatures, its head and the known heads. */
  verify(known?: readonly KnownHead[]): Promise<Verdict>
  /** Signs the head if lines were added since the last checkpoint. */
  sign(): Promise<void>
  /** Releases the disk reserve. Resolves to true if there was one. */
  makeRoom(): Promise<boolean>
  /** False while a configured disk reserve is missing. */
  hasReserve(): boolean
  /** Signs the head and closes the files. A checkpoint that cannot be written is logged. */
  close(): Promise<void>
}

/** A journal that belongs to a database. Until it is released nothing is written, repaired or signed, and `append` rejects. */
export interface HeldJournal extends Journal {
  /** Call it when the journal is known to contain every line that the database has. */
  release(): Promise<void>
}

export interface JournalOptions {
  readonly path: string
  readonly publicKeyPath: string
  /** 32 bytes. */
  readonly seed: Buffer
  readonly epoch: number
  readonly log: Logger
  /** Size in bytes beyond which a file is rotated; default `limits.journalFile`. */
  readonly fileSize?: number
  /** Disk reserve; none by default. */
  readonly reserve?: { readonly path: string; readonly bytes: number }
}

const checkpointTime = 60_000

const repeat = (milliseconds: number, act: () => Promise<void>): NodeJS.Timeout =>
  setInterval(() => void act().catch(() => {}), milliseconds).unref()

const openReserve = ({ reserve: options, log }: JournalOptions): { reserve: Reserve; timer: NodeJS.Timeout } | undefined => {
  if (options === undefined) return undefined
  const reserve = createReserve(options, log)
  void reserve.refill()
  return { reserve, timer: repeat(limits.auditReserveRetry, () => reserve.refill()) }
}

/** A clock that continues from the last line, even if the machine's clock was set back since. */
const createClockFrom = (time: string): Clock => {
  const clock = createClock(() => wallMs())
  if (time !== '') clock.reach(Date.parse(time))
  return clock
}

async function* toEntries(lines: AsyncIterable<LocatedEntry>): AsyncGenerator<AuditEntry> {
  for await (const { entry } of lines) yield entry
}

/** Also checks and repairs the files at once. */
const release = async (appender: Appender): Promise<void> => {
  appender.release()
  // The appender has logged the error.
  await appender.append([]).catch(() => {})
}

/**
 * Opens a journal that belongs to a database; appends are accepted after `release`. Rejects with a `Refusal` if the file cannot be opened
 * or is not a journal. A journal that cannot be written now is opened for reading, and appends reject until that is fixed.
 */
export const openHeldJournal = async (options: JournalOptions): Promise<HeldJournal> => {
  const { path, publicKeyPath, seed, epoch, log, fileSize = limits.journalFile } = options
  const key = signingKey(seed)
  await publishKey(publicKeyPath, key, epoch)
  const recovered = await recover(path)
  const reserve = openReserve(options)
  const files = new Files({ path, recovered, reserve: reserve?.reserve, maxFileSize: fileSize })
  const { place, checkpoint, begin } = recovered
  const sign = (head: Head): JournalInput => checkpointOf(head, epoch, key)
  const appender = new Appender({ files, place, checkpoint, begin, sign, held: true, clock: createClockFrom(place.time), log })
  const timer = repeat(checkpointTime, () => appender.sign())
  return {
    release: () => release(appender),
    append: (lines) => appender.append(lines),
    head: () => appender.head,
    checkpoint: () => appender.checkpoint,
    publicKey: createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString(),
    entriesAfter: (seq) => toEntries(linesAfter(files.parts(), seq)),
    linesAfter: (seq) => linesAfter(files.parts(), seq),
    page: (options) => page(files.parts(), options),
    async entriesAt(places) {
      const parts = files.parts()
      const found = await Promise.all(places.map((one) => entryAt(parts, one)))
      return found.filter((entry) => entry !== undefined)
    },
    verify: (known = []) => verifyParts(files.parts(), { publicKeyPath, known: [appender.head, ...known] }),
    sign: () => appender.sign(),
    makeRoom: async () => reserve?.reserve.release() ?? false,
    hasReserve: () => reserve?.reserve.isAvailable() ?? true,
    async close() {
      clearInterval(timer)
      clearInterval(reserve?.timer)
      await reserve?.reserve.close()
      await appender.close().catch((error: unknown) => log.warn('could not write a checkpoint while closing the journal', { error }))
      await files.close()
    },
  }
}

/** Opens a journal without a database; appends are accepted at once. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const journal = await openHeldJournal(options)
  await journal.release()
  return journal
}
