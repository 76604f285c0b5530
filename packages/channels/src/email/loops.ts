// Ends loops with machines that set no mark: a person does not answer five letters in a row within seconds of each. Kept in memory:
// after a restart a loop has five answers more. Whatever is not such a run begins it anew, so that a person is heard again.
import { createHash } from 'node:crypto'
import { limits } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Inbound } from '../channel.ts'
import { Reply } from './reference.ts'

type Letter = Pick<Inbound, 'id' | 'user' | 'address' | 'thread' | 'text' | 'reference'>

/** Letters that may belong together, and how soon after a letter of ours each of them comes. */
interface Series {
  readonly key: string
  readonly within: number
}

/** `Re:`, `AW:`, `Automatic reply:` and their like, once or often. */
const prefixes = /^(?:[^\s:：]{1,20}(?: [^\s:：]{1,20}){0,2}\s?[:：]\s*)+/u

/** A machine says more in its first paragraph than a person who says yes again and again. */
const minParagraph = 60

const digestOf = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

const seriesOf = ({ user, address, thread, text, reference }: Letter): Series[] => {
  const { subject, references } = v.parse(v.pick(Reply, ['subject', 'references']), reference)
  const base = subject.replace(prefixes, '')
  const isReply = references.length > 1 || base !== subject
  const quick = limits.emailMachineTime
  if (!isReply) return [{ key: digestOf(user, address, 'letter', subject, text), within: quick }]
  const conversation = references.length > 1 ? ['thread', thread ?? ''] : ['subject', base]
  // A letter that opens a conversation is heard with its subject above it.
  const [paragraph = ''] = text.replace(`Subject: ${subject}\n\n`, '').split(/\n\s*\n/)
  const same = { key: digestOf(user, address, 'paragraph', paragraph), within: limits.emailRepeatTime }
  return [{ key: digestOf(user, address, ...conversation), within: quick }, ...(paragraph.length < minParagraph ? [] : [same])]
}

const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > limits.rateKeys && oldest !== undefined) map.delete(oldest)
}

export class Loops {
  /** When a person was last written to. */
  readonly #sent = new Map<string, number>()
  /** Ids of letters in a row, by series. */
  readonly #runs = new Map<string, readonly string[]>()

  sent(to: string): void {
    keep(this.#sent, to, performance.now())
  }

  /** Whether this letter is one too many. The same letter is counted once. */
  isLoop(letter: Letter): boolean {
    const since = performance.now() - (this.#sent.get(letter.user) ?? -Infinity)
    const runs = seriesOf(letter).map(({ key, within }) => this.#count(key, letter.id, since < within))
    return runs.some((place) => place >= limits.emailLoop)
  }

  /** Its place in the row. */
  #count(key: string, id: string, goesOn: boolean): number {
    // The letter of ours that it follows was an answer too.
    const run = this.#runs.get(key) ?? ['']
    const known = run.indexOf(id)
    if (known >= 0) return known
    const next = goesOn ? [...run.slice(-limits.emailLoop), id] : [id]
    keep(this.#runs, key, next)
    return next.length - 1
  }
}
