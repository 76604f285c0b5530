// Processes the output of one server in short turns of the event loop, so that a flood delays no other call; unsolicited output slowly.
/** What can be told to wait. */
interface Source {
  pause(): unknown
  resume(): unknown
}

/** Milliseconds of one turn of the event loop that one server may take; and where it was not asked. */
const maxTurn = { asked: 0.5, unasked: 0.1 } as const
/** What an item sets going, which comes after it and is not seen by the clock. */
export type ItemEffect = 'nothing' | 'answer' | 'question'

/** Items of one turn. One that sets something going counts as several; nobody has asked for a question. */
const maxItems = 64
const weight = { asked: 4, unasked: 32 } as const
/** Milliseconds between two turns of a server that was not asked: in between it stands before a full pipe and needs no processor. */
const restTime = { first: 2, longest: 16 } as const
/** Each rest is as much longer than the one before, until a server has been quiet for so many milliseconds. */
const growth = 1.5
const quietTime = 250
/** Items, and large pieces, that one request may bring. */
const perRequest = 64
const maxExpected = 1_024 * perRequest
/** Bytes of a piece that is large: others have a turn before the next. */
const largeChunk = 32 * 1_024

export class ReadThrottle<T> {
  readonly #source: Source
  readonly #act: (item: T) => ItemEffect
  readonly #waiting: T[] = []
  /** Items that may still be answers. */
  #asked = 0
  #began: number | undefined
  #taken = 0
  /** Milliseconds of the next rest, and since when there was none. */
  #rest: number = restTime.first
  #rested = 0
  #resting: NodeJS.Timeout | undefined
  #isHeld = false

  constructor(source: Source, act: (item: T) => ItemEffect) {
    this.#source = source
    this.#act = act
  }

  /** A request went out: what may be its answer is taken without rest. */
  ask(): void {
    this.#asked = Math.min(maxExpected, this.#asked + perRequest)
    if (this.#resting === undefined) return
    clearTimeout(this.#resting)
    this.#resting = undefined
    setImmediate(() => this.#next())
  }

  /** At once while the turn lasts; else in a later one, in order. */
  take(item: T): void {
    if (this.#waiting.length === 0 && !this.#isOver()) return this.#use(item)
    this.#hold()
    this.#waiting.push(item)
  }

  /** A piece of so many bytes was cut into what was taken: others have a turn after a large one. */
  read(bytes: number): void {
    if (bytes < largeChunk) return
    this.#spend()
    if (this.#began === undefined) this.#begin()
    this.#hold()
  }

  /** What comes now is of no use: nothing is an answer until the next request. */
  forfeit(): void {
    this.#asked = 0
  }

  /** Nothing more comes: what waits is taken now. */
  finish(): void {
    for (const item of this.#waiting.splice(0)) this.#act(item)
  }

  #use(item: T): void {
    const kind = this.#kind()
    this.#spend()
    const heard = this.#act(item)
    if (heard !== 'nothing') this.#taken += weight[heard === 'question' ? 'unasked' : kind] - 1
  }

  #spend(): void {
    this.#asked = Math.max(0, this.#asked - 1)
  }

  #kind(): 'asked' | 'unasked' {
    return this.#asked > 0 ? 'asked' : 'unasked'
  }

  #begin(): void {
    this.#began = performance.now()
    this.#taken = 0
    if (this.#asked > 0) setImmediate(() => this.#next())
    else this.#takeRest(this.#began)
  }

  #takeRest(now: number): void {
    const milliseconds = now - this.#rested > quietTime ? restTime.first : this.#rest
    this.#rest = Math.min(restTime.longest, milliseconds * growth)
    this.#rested = now + milliseconds
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      this.#next()
    }, milliseconds)
  }

  #isOver(): boolean {
    if (this.#began === undefined) this.#begin()
    this.#taken += 1
    const most = maxTurn[this.#kind()]
    return this.#taken > maxItems || (this.#taken > 1 && performance.now() - (this.#began ?? 0) > most)
  }

  #next(): void {
    this.#began = undefined
    while (this.#waiting.length > 0 && !this.#isOver()) {
      const item = this.#waiting.shift()
      if (item !== undefined) this.#use(item)
    }
    if (this.#waiting.length === 0) this.#letGo()
  }

  #hold(): void {
    if (!this.#isHeld) this.#source.pause()
    this.#isHeld = true
  }

  #letGo(): void {
    if (this.#isHeld) this.#source.resume()
    this.#isHeld = false
  }
}
