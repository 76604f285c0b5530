// Verifies a chain line by line and finds the first line that breaks it. Lines are compared as bytes; a line is parsed only where that
// comparison fails, at checkpoints and at the end.
import type { KeyObject } from 'node:crypto'
import type { AuditEntry } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { checkpointEvery, checkpointFault, checkpointIn, genesis, type Head, type Link, formatPrefix, formatSuffix } from './chain.ts'
import { scanEntry } from './entry.ts'

export interface Fault {
  /** 1-based, over all files read. */
  readonly line: number
  readonly reason: string
}

/** A head known from another source. The chain must reach it and match it. */
export interface KnownHead extends Head {
  /** The source, named in the reason of a fault. */
  readonly source?: string
}

interface Options {
  /** The link before the first line; undefined where it is unknown. */
  readonly start: Link | undefined
  readonly known?: readonly KnownHead[]
  /** Public keys by epoch. With them, signatures of checkpoints and the distance between checkpoints are checked. */
  readonly keys?: readonly KeyObject[] | undefined
}

interface Current {
  readonly entry: AuditEntry
  /** SHA-256 of the bytes of the line. */
  readonly hash: string
}

/** A line that does not match the previous one. The next line shows which of the two is wrong. */
interface SuspectLine extends Current {
  /** The reason to report if this line is wrong, and the one if the previous line is. */
  readonly own: string
  readonly other: string
}

const sourceOf = ({ source = 'the known head' }: KnownHead): string => source

const timeLength = 24
const stageHead = '","stage":"'
const letterC = 0x63

export class Inspector {
  readonly #known: readonly KnownHead[]
  readonly #keys: readonly KeyObject[] | undefined
  /** Epoch of the last checkpoint; keys of earlier epochs are not accepted after it. */
  #epoch = 0
  #last: Link | undefined
  #lastBytes: Buffer | undefined
  #lines = 0
  #unsigned = 0
  #suspectLine: SuspectLine | undefined

  constructor({ start, known = [], keys }: Options) {
    this.#last = start
    this.#known = known
    this.#keys = keys
  }

  get lines(): number {
    return this.#lines
  }

  get head(): Head {
    const { seq, hash } = this.#last ?? genesis
    return { seq, hash }
  }

  /** Checks the next line, without its newline. Returns the first fault that is certain by now. */
  next(bytes: Buffer): Fault | undefined {
    if (this.#suspectLine !== undefined) return this.#blame(this.#suspectLine, scanEntry(bytes)?.hash === this.#suspectLine.hash)
    this.#lines += 1
    if (this.#last !== undefined && this.#follows(bytes, this.#last)) {
      this.#advance(bytes, { seq: this.#last.seq + 1, hash: sha256(bytes), prev: this.#last.hash }, this.#unsigned + 1)
      return this.#contradiction(this.#last)
    }
    return this.#parseAndCheck(bytes)
  }

  /** Call it after the last line. Returns a fault at the end of the chain. */
  end(): Fault | undefined {
    if (this.#suspectLine !== undefined) return this.#blame(this.#suspectLine, false)
    if (this.#lastBytes !== undefined && scanEntry(this.#lastBytes) === undefined) return this.#fault('not a journal entry')
    const { seq } = this.head
    const beyond = this.#known.find((known) => known.seq > seq)
    if (beyond === undefined) return undefined
    this.#lines += 1
    return this.#fault(`missing: the journal ends at ${seq}, ${sourceOf(beyond)} is ${beyond.seq}`)
  }

  /** Reports that the next file is missing or empty. */
  missing(what: string): Fault {
    if (this.#suspectLine !== undefined) return this.#blame(this.#suspectLine, false)
    this.#lines += 1
    return this.#fault(what)
  }

  /** True for a line other than a checkpoint whose beginning and end match the chain. The rest is not examined. */
  #follows(bytes: Buffer, last: Link): boolean {
    if (this.#keys !== undefined && this.#unsigned >= checkpointEvery) return false
    const prefix = formatPrefix(last.seq + 1)
    const stage = prefix.length + timeLength
    const suffix = formatSuffix(last)
    return (
      bytes[stage + stageHead.length] !== letterC &&
      bytes.length > stage + stageHead.length + suffix.length &&
      bytes.toString('latin1', bytes.length - suffix.length) === suffix &&
      bytes.toString('latin1', 0, prefix.length) === prefix &&
      bytes.toString('latin1', stage, stage + stageHead.length) === stageHead
    )
  }

  #advance(bytes: Buffer, link: Link, unsigned: number): void {
    this.#last = link
    this.#lastBytes = bytes
    this.#unsigned = unsigned
  }

  #parseAndCheck(bytes: Buffer): Fault | undefined {
    const entry = scanEntry(bytes)
    if (entry === undefined) return this.#fault('not a journal entry')
    const current = { entry, hash: sha256(bytes) }
    const fault = this.#checkEntry(current, this.#last ?? { seq: entry.seq - 1, hash: entry.hash, prev: entry.prev })
    this.#advance(bytes, { seq: entry.seq, hash: current.hash, prev: entry.hash }, entry.stage === 'checkpoint' ? 0 : this.#unsigned + 1)
    return fault
  }

  #checkEntry(current: Current, before: Link): Fault | undefined {
    const { entry, hash } = current
    const line = this.#lines
    if (entry.seq !== before.seq + 1) {
      const own = `expected seq ${before.seq + 1}, got ${entry.seq}`
      const rival = entry.seq === before.seq && entry.hash === before.prev && hash !== before.hash
      return rival ? this.#suspect({ ...current, own, other: `inserted: line ${line} has seq ${entry.seq}` }) : this.#fault(own)
    }
    const own = entry.prev === before.prev ? `hash does not match line ${line - 1}` : `prev is not the hash member of line ${line - 1}`
    if (entry.hash !== before.hash) return this.#suspect({ ...current, own, other: `altered, the hash in line ${line} does not match it` })
    if (entry.prev !== before.prev) return this.#fault(own)
    return this.#contradiction({ seq: entry.seq, hash }) ?? this.#checkpointFault(entry, before)
  }

  #contradiction({ seq, hash }: Head): Fault | undefined {
    const known = this.#known.find((one) => one.seq === seq && one.hash !== hash)
    return known === undefined ? undefined : this.#fault(`does not match ${sourceOf(known)}`)
  }

  #checkpointFault(entry: AuditEntry, before: Head): Fault | undefined {
    if (this.#keys === undefined) return undefined
    if (entry.stage !== 'checkpoint')
      return this.#unsigned < checkpointEvery ? undefined : this.#fault(`expected a checkpoint after ${checkpointEvery} lines`)
    const reason = checkpointFault(entry, before, this.#keys)
    if (reason !== undefined) return this.#fault(reason)
    const epoch = checkpointIn(entry)?.epoch ?? 0
    if (epoch < this.#epoch) return this.#fault(`the checkpoint has epoch ${epoch}, but an earlier one has epoch ${this.#epoch}`)
    this.#epoch = epoch
    return undefined
  }

  #suspect(suspect: SuspectLine): Fault | undefined {
    if (this.#lines === 1) return this.#blame(suspect, false)
    this.#suspectLine = suspect
    return this.#isCertain(suspect) ? this.#blame(suspect, true) : undefined
  }

  /** True if the next line is not needed to decide that this line is intact or that the previous one is not. */
  #isCertain({ entry, hash }: Current): boolean {
    if (this.#lastBytes !== undefined && scanEntry(this.#lastBytes) === undefined) return true
    const known = this.#known.find(({ seq }) => seq === entry.seq)
    if (known !== undefined) return known.hash === hash
    if (this.#keys === undefined || entry.stage !== 'checkpoint') return false
    return checkpointFault(entry, { seq: entry.seq - 1, hash: entry.hash }, this.#keys) === undefined
  }

  /** @param whole whether the suspect line is intact */
  #blame({ own, other }: SuspectLine, whole: boolean): Fault {
    const line = this.#lines - 1
    return whole ? { line, reason: `line ${line}: ${other}` } : this.#fault(own)
  }

  #fault(reason: string): Fault {
    return { line: this.#lines, reason: `line ${this.#lines}: ${reason}` }
  }
}
