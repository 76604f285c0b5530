// Follows a chain line by line and says which line first breaks it. What the chain proves is compared as bytes; only where
// that fails, at checkpoints and at the end is a line parsed.
import type { KeyObject } from 'node:crypto'
import type { AuditEntry } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { checkpointEvery, checkpointFault, checkpointIn, genesis, type Head, type Link, prefixOf, suffixOf } from './chain.ts'
import { scanEntry } from './entry.ts'

export interface Fault {
  /** 1-based, over all files read. */
  readonly line: number
  readonly reason: string
}

/** A head that is known from elsewhere: the chain must reach it and match it. */
export interface KnownHead extends Head {
  /** Where it is known from, for the reason of a fault. */
  readonly source?: string
}

interface Options {
  /** What the first line follows; undefined where that is not known. */
  readonly start: Link | undefined
  readonly known?: readonly KnownHead[]
  /** By epoch. Checks the signatures of checkpoints, and that there are enough of them. */
  readonly keys?: readonly KeyObject[] | undefined
}

interface Current {
  readonly entry: AuditEntry
  /** SHA-256 of its bytes. */
  readonly hash: string
}

/** A line that does not fit the line before it: what follows shows which of the two is bad. */
interface Doubt extends Current {
  /** What is said of it if it is the bad one, and of the line before it if that is. */
  readonly own: string
  readonly other: string
}

const sourceOf = ({ source = 'the head given' }: KnownHead): string => source

const timeLength = 24
const stageHead = '","stage":"'
const letterC = 0x63

export class Inspector {
  readonly #known: readonly KnownHead[]
  readonly #keys: readonly KeyObject[] | undefined
  /** Of the last checkpoint: the key of an earlier one proves nothing after it. */
  #epoch = 0
  #last: Link | undefined
  #lastBytes: Buffer | undefined
  #lines = 0
  #unsigned = 0
  #doubt: Doubt | undefined

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

  /** Takes the next line, without its newline; the first fault that is certain by now. */
  next(bytes: Buffer): Fault | undefined {
    if (this.#doubt !== undefined) return this.#blame(this.#doubt, scanEntry(bytes)?.hash === this.#doubt.hash)
    this.#lines += 1
    if (this.#last !== undefined && this.#follows(bytes, this.#last)) {
      this.#pass(bytes, { seq: this.#last.seq + 1, hash: sha256(bytes), prev: this.#last.hash }, this.#unsigned + 1)
      return this.#contradiction(this.#last)
    }
    return this.#look(bytes)
  }

  /** After the last line. */
  end(): Fault | undefined {
    if (this.#doubt !== undefined) return this.#blame(this.#doubt, false)
    if (this.#lastBytes !== undefined && scanEntry(this.#lastBytes) === undefined) return this.#fault('not an entry of a journal')
    const { seq } = this.head
    const beyond = this.#known.find((known) => known.seq > seq)
    if (beyond === undefined) return undefined
    this.#lines += 1
    return this.#fault(`missing: the journal ends at ${seq}, ${sourceOf(beyond)} is ${beyond.seq}`)
  }

  /** The first line of the next file is due, and there is none. */
  missing(what: string): Fault {
    if (this.#doubt !== undefined) return this.#blame(this.#doubt, false)
    this.#lines += 1
    return this.#fault(what)
  }

  /** True for a line that is no checkpoint, begins as it must and ends as it must; nothing else of it is looked at. */
  #follows(bytes: Buffer, last: Link): boolean {
    if (this.#keys !== undefined && this.#unsigned >= checkpointEvery) return false
    const prefix = prefixOf(last.seq + 1)
    const stage = prefix.length + timeLength
    const suffix = suffixOf(last)
    return (
      bytes[stage + stageHead.length] !== letterC &&
      bytes.length > stage + stageHead.length + suffix.length &&
      bytes.toString('latin1', bytes.length - suffix.length) === suffix &&
      bytes.toString('latin1', 0, prefix.length) === prefix &&
      bytes.toString('latin1', stage, stage + stageHead.length) === stageHead
    )
  }

  #pass(bytes: Buffer, link: Link, unsigned: number): void {
    this.#last = link
    this.#lastBytes = bytes
    this.#unsigned = unsigned
  }

  #look(bytes: Buffer): Fault | undefined {
    const entry = scanEntry(bytes)
    if (entry === undefined) return this.#fault('not an entry of a journal')
    const current = { entry, hash: sha256(bytes) }
    const fault = this.#judge(current, this.#last ?? { seq: entry.seq - 1, hash: entry.hash, prev: entry.prev })
    this.#pass(bytes, { seq: entry.seq, hash: current.hash, prev: entry.hash }, entry.stage === 'checkpoint' ? 0 : this.#unsigned + 1)
    return fault
  }

  #judge(current: Current, before: Link): Fault | undefined {
    const { entry, hash } = current
    const line = this.#lines
    if (entry.seq !== before.seq + 1) {
      const own = `expected seq ${before.seq + 1}, got ${entry.seq}`
      const rival = entry.seq === before.seq && entry.hash === before.prev && hash !== before.hash
      return rival ? this.#weigh({ ...current, own, other: `put in, line ${line} is number ${entry.seq}` }) : this.#fault(own)
    }
    const own = entry.prev === before.prev ? `hash does not match line ${line - 1}` : `prev is not the hash member of line ${line - 1}`
    if (entry.hash !== before.hash) return this.#weigh({ ...current, own, other: `altered, the hash in line ${line} does not match it` })
    if (entry.prev !== before.prev) return this.#fault(own)
    return this.#contradiction({ seq: entry.seq, hash }) ?? this.#unproven(entry, before)
  }

  #contradiction({ seq, hash }: Head): Fault | undefined {
    const known = this.#known.find((one) => one.seq === seq && one.hash !== hash)
    return known === undefined ? undefined : this.#fault(`does not match ${sourceOf(known)}`)
  }

  #unproven(entry: AuditEntry, before: Head): Fault | undefined {
    if (this.#keys === undefined) return undefined
    if (entry.stage !== 'checkpoint')
      return this.#unsigned < checkpointEvery ? undefined : this.#fault(`expected a checkpoint after ${checkpointEvery} lines`)
    const reason = checkpointFault(entry, before, this.#keys)
    if (reason !== undefined) return this.#fault(reason)
    const epoch = checkpointIn(entry)?.epoch ?? 0
    if (epoch < this.#epoch) return this.#fault(`the checkpoint is of epoch ${epoch}, after one of epoch ${this.#epoch}`)
    this.#epoch = epoch
    return undefined
  }

  #weigh(doubt: Doubt): Fault | undefined {
    if (this.#lines === 1) return this.#blame(doubt, false)
    this.#doubt = doubt
    return this.#isCertain(doubt) ? this.#blame(doubt, true) : undefined
  }

  /** True if it is clear without the next line that this line is whole, or that the one before it is not. */
  #isCertain({ entry, hash }: Current): boolean {
    if (this.#lastBytes !== undefined && scanEntry(this.#lastBytes) === undefined) return true
    const known = this.#known.find(({ seq }) => seq === entry.seq)
    if (known !== undefined) return known.hash === hash
    if (this.#keys === undefined || entry.stage !== 'checkpoint') return false
    return checkpointFault(entry, { seq: entry.seq - 1, hash: entry.hash }, this.#keys) === undefined
  }

  /** @param whole the line in doubt is what it was */
  #blame({ own, other }: Doubt, whole: boolean): Fault {
    const line = this.#lines - 1
    return whole ? { line, reason: `line ${line}: ${other}` } : this.#fault(own)
  }

  #fault(reason: string): Fault {
    return { line: this.#lines, reason: `line ${this.#lines}: ${reason}` }
  }
}
