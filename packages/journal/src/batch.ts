// The lines of one write: chained on to the head, checkpoints put in where they are due.
import type { AuditEntry } from '@gatehouse/contracts'
import { type Chained, chain, type Draft, type Head, type Link } from './chain.ts'
import { checkpointEvery } from './checkpoint.ts'

/** Where a chain stands. */
export interface Place {
  readonly link: Link
  /** Lines since the last checkpoint. */
  readonly unsigned: number
}

export class Batch {
  readonly #sign: (head: Head) => Draft
  readonly #time: string
  readonly #lines: string[] = []
  readonly checkpoints: AuditEntry[] = []
  #place: Place

  constructor(place: Place, time: Date, sign: (head: Head) => Draft) {
    this.#place = place
    this.#time = time.toISOString()
    this.#sign = sign
  }

  get place(): Place {
    return this.#place
  }

  add(draft: Draft): Chained {
    this.#signIfDue()
    const chained = this.#push(draft, this.#place.unsigned + 1)
    this.#signIfDue()
    return chained
  }

  /** Signs what is not signed. */
  sign(): void {
    if (this.#place.unsigned > 0) this.checkpoints.push(this.#push(this.#sign(this.#place.link), 0).entry)
  }

  /** Undefined if there is nothing to write. */
  bytes(): Buffer | undefined {
    return this.#lines.length === 0 ? undefined : Buffer.from(`${this.#lines.join('\n')}\n`)
  }

  #signIfDue(): void {
    if (this.#place.unsigned >= checkpointEvery) this.sign()
  }

  #push(draft: Draft, unsigned: number): Chained {
    const chained = chain(this.#place.link, draft, this.#time)
    this.#lines.push(chained.line)
    this.#place = { link: chained.link, unsigned }
    return chained
  }
}
