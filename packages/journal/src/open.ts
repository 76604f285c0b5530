// Opens a journal: files in a row, one writer, lines chained by hashes and signed from time to time.
import { createPublicKey } from 'node:crypto'
import { type AuditEntry, limits } from '@gatehouse/contracts'
import { type Clock, createClock, type Logger, wallMs } from '@gatehouse/kernel'
import { type Appended, Appender } from './appender.ts'
import type { Placed, Position } from './batch.ts'
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
  /** Among them the one that the process remembers: what was cut off on the disk is missed. */
  readonly known: readonly KnownHead[]
}

/** @param parts oldest first */
const verifyParts = async (parts: readonly Part[], { publicKeyPath, known }: Expected): Promise<Verdict> => {
  const inspector = new Inspector({ start: genesis, keys: await loadPublicKeys(publicKeyPath), known })
  for (const { read, end } of parts) {
    // What is no longer there, or that the disk does not give, is a fault of the journal and none of the question.
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
   * On disk when it resolves; a call's lines keep their order, calls theirs. Rejects with `audit-unwritable` while a
   * file is not what it must be or the disk fails: then no line of the call stands, and a later call tries anew.
   * An empty list writes nothing and says whether the files are what they must be.
   */
  append(lines: readonly JournalInput[]): Promise<Appended>
  /** The last line on disk, a checkpoint perhaps. */
  head(): Head
  /** The last signature on disk. */
  checkpoint(): Checkpoint | null
  /** PEM of the key that verifies signatures. */
  readonly publicKey: string
  /** What was on disk when it is called, oldest first. */
  entriesAfter(seq: number): AsyncIterable<AuditEntry>
  /** The same, with the place of each line. */
  linesAfter(seq: number): AsyncIterable<Placed>
  /** Newest first. */
  page(options: { limit: number; before?: number }): Promise<AuditEntry[]>
  /** In the order asked for. Those that do not stand where they are looked for are left out. */
  entriesAt(places: readonly (Position & { readonly seq: number })[]): Promise<AuditEntry[]>
  /** Reads all of it from the disk: the chain, the signatures, and that it reaches its head and those known from elsewhere. */
  verify(known?: readonly KnownHead[]): Promise<Verdict>
  /** Signs the head, if lines were added since the last time. */
  sign(): Promise<void>
  /** Gives up the disk that is kept in reserve; true if there was any. */
  makeRoom(): Promise<boolean>
  /** False while the disk that should be kept in reserve is not. */
  hasReserve(): boolean
  /** Signs the head and closes; a checkpoint that cannot be written is logged. */
  close(): Promise<void>
}

/** A journal beside a database. Until it is released nothing is written, repaired or signed, and `append` rejects. */
export interface HeldJournal extends Journal {
  /** The journal holds all that the database has seen of it. */
  release(): Promise<void>
}

export interface JournalOptions {
  readonly path: string
  readonly publicKeyPath: string
  /** 32 bytes. */
  readonly seed: Buffer
  readonly epoch: number
  readonly log: Logger
  /** Bytes beyond which a file is closed and a new one begun; default `limits.journalFile`. */
  readonly fileSize?: number
  /** Disk to be kept; none by default. */
  readonly reserve?: { readonly path: string; readonly bytes: number }
}

const checkpointTime = 60_000

const every = (milliseconds: number, act: () => Promise<void>): NodeJS.Timeout =>
  setInterval(() => void act().catch(() => {}), milliseconds).unref()

const keepReserve = ({ reserve: options, log }: JournalOptions): { reserve: Reserve; timer: NodeJS.Timeout } | undefined => {
  if (options === undefined) return undefined
  const reserve = createReserve(options, log)
  void reserve.refill()
  return { reserve, timer: every(limits.auditReserveRetry, () => reserve.refill()) }
}

/** Goes on from the last line, also where the machine's clock was set back since. */
const clockFrom = (time: string): Clock => {
  const clock = createClock(() => wallMs())
  if (time !== '') clock.reach(Date.parse(time))
  return clock
}

async function* entriesOf(lines: AsyncIterable<Placed>): AsyncGenerator<AuditEntry> {
  for await (const { entry } of lines) yield entry
}

/** Makes the files sound at once. */
const release = async (appender: Appender): Promise<void> => {
  appender.release()
  // The appender has logged why.
  await appender.append([]).catch(() => {})
}

/**
 * Opens a journal that belongs to a database: lines may be added once it is shown that the two belong together. Throws a
 * `Refusal` if the file cannot be opened or is none of ours. One that may not be written now is no refusal:
 * it can be read, and appends say what is wrong until it is put right.
 */
export const openHeldJournal = async (options: JournalOptions): Promise<HeldJournal> => {
  const { path, publicKeyPath, seed, epoch, log, fileSize = limits.journalFile } = options
  const key = signingKey(seed)
  await publishKey(publicKeyPath, key, epoch)
  const recovered = await recover(path)
  const kept = keepReserve(options)
  const files = new Files({ path, recovered, reserve: kept?.reserve, most: fileSize })
  const { place, checkpoint, begin } = recovered
  const sign = (head: Head): JournalInput => checkpointOf(head, epoch, key)
  const appender = new Appender({ files, place, checkpoint, begin, sign, held: true, clock: clockFrom(place.time), log })
  const timer = every(checkpointTime, () => appender.sign())
  return {
    release: () => release(appender),
    append: (lines) => appender.append(lines),
    head: () => appender.head,
    checkpoint: () => appender.checkpoint,
    publicKey: createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString(),
    entriesAfter: (seq) => entriesOf(linesAfter(files.parts(), seq)),
    linesAfter: (seq) => linesAfter(files.parts(), seq),
    page: (wanted) => page(files.parts(), wanted),
    async entriesAt(places) {
      const parts = files.parts()
      const found = await Promise.all(places.map((one) => entryAt(parts, one)))
      return found.filter((entry) => entry !== undefined)
    },
    verify: (known = []) => verifyParts(files.parts(), { publicKeyPath, known: [appender.head, ...known] }),
    sign: () => appender.sign(),
    makeRoom: async () => kept?.reserve.giveUp() ?? false,
    hasReserve: () => kept?.reserve.kept() ?? true,
    async close() {
      clearInterval(timer)
      clearInterval(kept?.timer)
      await kept?.reserve.close()
      await appender.close().catch((error: unknown) => log.warn('closed without a checkpoint', { error }))
      await files.close()
    },
  }
}

/** A journal without a database: lines may be added at once. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const journal = await openHeldJournal(options)
  await journal.release()
  return journal
}
