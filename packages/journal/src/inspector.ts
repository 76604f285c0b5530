// Follows a chain line by line and says which line first breaks it.
import type { KeyObject } from 'node:crypto'
import type { AuditEntry } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { genesis, type Head, type Link } from './chain.ts'
import { checkpointEvery, checkpointFault } from './checkpoint.ts'
import { scanEntry } from './entry.ts'

export interface Fault {
  /** 1-based, over all files read. */
  readonly line: number
  readonly reason: string
}

interface Options {
  /** What the first line follows; undefined where that is not known. */
  readonly start: Link | undefined
  /** A head that was kept: the chain must reach it and match it. */
  readonly expected?: Head | undefined
  /** Checks the signatures of checkpoints, and that there are enough of them. */
  readonly key?: KeyObject | undefined
}

interface Current {
  readonly entry: AuditEntry
  /** SHA-256 of its bytes. */
  readonly hash: string
}

export class Inspector {
  readonly #expected: Head | undefined
  readonly #key: KeyObject | undefined
  #last: Link | undefined
  #lines = 0
  #unsigned = 0
  /** A line whose `hash` does not fit the line before: what follows shows which of the two was altered. */
  #broken: Current | undefined

  constructor({ start, expected, key }: Options) {
    this.#last = start
    this.#expected = expected
    this.#key = key
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
    const entry = scanEntry(bytes)
    if (this.#broken !== undefined) return this.#blame(entry?.hash === this.#broken.hash)
    this.#lines += 1
    if (entry === undefined) return this.#fault('not an entry of a journal')
    const current = { entry, hash: sha256(bytes) }
    const fault = this.#follow(current, this.#last ?? { seq: entry.seq - 1, hash: entry.hash, prev: entry.prev })
    this.#unsigned = entry.stage === 'checkpoint' ? 0 : this.#unsigned + 1
    this.#last = { seq: entry.seq, hash: current.hash, prev: entry.hash }
    return fault
  }

  /** After the last line. */
  end(): Fault | undefined {
    if (this.#broken !== undefined) return this.#blame(false)
    const { seq } = this.head
    if (this.#expected === undefined || this.#expected.seq <= seq) return undefined
    this.#lines += 1
    return this.#fault(`missing: the journal ends at ${seq}, the head given is ${this.#expected.seq}`)
  }

  #follow(current: Current, before: Link): Fault | undefined {
    const { entry, hash } = current
    if (entry.seq !== before.seq + 1) return this.#fault(`expected seq ${before.seq + 1}, got ${entry.seq}`)
    if (entry.prev !== before.prev) return this.#fault(`prev is not the hash member of line ${this.#lines - 1}`)
    if (entry.hash !== before.hash) {
      this.#broken = current
      return this.#attested(current) ? this.#blame(true) : undefined
    }
    if (this.#expected?.seq === entry.seq && this.#expected.hash !== hash) return this.#fault('does not match the head given')
    return this.#unproven(entry, before)
  }

  #unproven(entry: AuditEntry, before: Head): Fault | undefined {
    if (this.#key === undefined) return undefined
    if (entry.stage !== 'checkpoint')
      return this.#unsigned < checkpointEvery ? undefined : this.#fault(`expected a checkpoint after ${checkpointEvery} lines`)
    const reason = checkpointFault(entry, before, this.#key)
    return reason === undefined ? undefined : this.#fault(reason)
  }

  /** True if something beyond the next line shows that the line is whole. */
  #attested({ entry, hash }: Current): boolean {
    if (this.#expected?.seq === entry.seq) return this.#expected.hash === hash
    if (this.#key === undefined || entry.stage !== 'checkpoint') return false
    return checkpointFault(entry, { seq: entry.seq - 1, hash: entry.hash }, this.#key) === undefined
  }

  #blame(whole: boolean): Fault {
    const line = this.#lines
    if (!whole) return this.#fault(`hash does not match line ${line - 1}`)
    return { line: line - 1, reason: `line ${line - 1}: altered, the hash in line ${line} does not match it` }
  }

  #fault(reason: string): Fault {
    return { line: this.#lines, reason: `line ${this.#lines}: ${reason}` }
  }
}
