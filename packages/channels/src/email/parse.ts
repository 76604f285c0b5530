// Parses a letter without keeping the other channels waiting: anybody can send one. The library reads line by line, and lets
// nobody else have a turn before the last one.
import { setImmediate as nextTurn } from 'node:timers/promises'
import PostalMime, { type Email, type PostalMimeOptions } from 'postal-mime'

/** Lines that are read in one turn of the event loop. */
const inOneTurn = 128
/** No letter is refused for fewer lines; above it each has so many bytes in the middle, as what is encoded has. */
const fewLines = 20_000
const leastBytes = 40

const readLine: unknown = Reflect.get(PostalMime.prototype, 'processLine')

class Parser extends PostalMime {
  #lines = 0

  async processLine(...line: readonly unknown[]): Promise<void> {
    if (typeof readLine !== 'function') throw new TypeError('expected a parser that reads line by line')
    this.#lines += 1
    if (this.#lines % inOneTurn === 0) await nextTurn()
    await Reflect.apply(readLine, this, line)
  }
}

const countLines = (source: Uint8Array): number => {
  let lines = 1
  for (let at = source.indexOf(10); at >= 0; at = source.indexOf(10, at + 1)) lines += 1
  return lines
}

/** Throws for what is no letter, and for one of very many lines. */
export const parseEmail = (source: Uint8Array, options?: PostalMimeOptions): Promise<Email> => {
  const lines = countLines(source)
  if (lines > fewLines + source.length / leastBytes)
    throw new RangeError(`a letter of ${source.length} bytes in ${lines} lines is not read`)
  return new Parser(options).parse(source)
}
