// Finds the counts of tokens in the lines of a stream. Most lines hold none and are not parsed.
import { jsonBounds } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import { type Body, objectOf, type Usage } from '../formats/format.ts'

export interface UsageFormat {
  readonly usageField: string
  usage(answer: Body): Usage
}

const parse = (line: string): Body => {
  try {
    return objectOf(parseJson(Buffer.from(line.slice(line.indexOf(':') + 1), 'latin1'), jsonBounds.modelEvent))
  } catch {
    // A line that is cut, broken or beyond the bounds is not ours to judge: it is estimated by its bytes.
    return {}
  }
}

const lineAround = (text: string, at: number): string => {
  const end = text.indexOf('\n', at)
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end)
}

export class UsageMeter {
  readonly #format: UsageFormat
  readonly #marker: string
  #first: string | undefined
  #last: string | undefined

  constructor(format: UsageFormat) {
    this.#format = format
    this.#marker = `"${format.usageField}"`
  }

  /** Whether a count was found. @param text whole lines */
  read(text: string): boolean {
    let isFound = false
    for (let at = text.indexOf(this.#marker); at >= 0; at = text.indexOf(this.#marker, at)) {
      at += this.#marker.length
      if (!this.#isCount(text, at)) continue
      const line = lineAround(text, at)
      this.#first ??= line
      this.#last = line
      isFound = true
    }
    return isFound
  }

  /** The last word counts; what only the first event tells counts too. */
  get usage(): Usage {
    const of = (line: string | undefined): Usage => (line === undefined ? {} : this.#format.usage(parse(line)))
    return { ...of(this.#first), ...of(this.#last) }
  }

  /** Providers that were asked for a count name it in each event, and say null until the last. */
  #isCount(text: string, from: number): boolean {
    let at = from
    while (text[at] === ' ' || text[at] === ':') at++
    return text[at] === '{'
  }
}
