// Detects mail loops with programs that do not mark their e-mail as automatic: no person answers five e-mails in a row within seconds.
// Kept in memory, so a loop can continue for five more messages after a restart. Any slower message resets the count.
// Beside it the data that is stored with a message so that it can be answered by e-mail.
import { createHash } from 'node:crypto'
import { isMailAddress, limits, type Reference } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { DirectNotice, Inbound, Outgoing } from '../channel.ts'
import type { MailAccount } from './credentials.ts'

export const Reply = v.object({
  to: v.pipe(v.string(), v.check(isMailAddress)),
  subject: v.string(),
  /** Ids of the messages that it answers, oldest first. */
  references: v.array(v.string()),
  /** Starts a thread. */
  opens: v.optional(v.boolean(), false),
})
export type Reply = v.InferOutput<typeof Reply>

/** Stable across attempts, so that a client can detect duplicates. Carries the thread, because some clients drop other references. */
export const messageID = ({ id, thread }: Pick<Outgoing, 'id' | 'thread'>, { from }: MailAccount): string =>
  `<${id}${thread === undefined ? '' : `.${thread}`}@${from.address.slice(from.address.indexOf('@') + 1)}>`

/** The last speaker of the conversation is answered there. Others get an e-mail that starts a thread, and later ones continue it. */
export const directTo =
  (account: MailAccount) =>
  (user: string, { subject, thread, earlier, reference }: DirectNotice): Reference => {
    if (reference['to'] === user) return reference
    const references = earlier === undefined ? [] : [messageID({ id: earlier, thread }, account)]
    return { to: user, subject, references, opens: references.length === 0 }
  }

type ReceivedEmail = Pick<Inbound, 'id' | 'user' | 'address' | 'thread' | 'text' | 'reference'>

/** A group of e-mails that may form a loop. `within`: maximum milliseconds between the unit's e-mail and the reply. */
interface Series {
  readonly key: string
  readonly within: number
}

/** One or more of `Re:`, `AW:`, `Automatic reply:` and similar. */
const prefixes = /^(?:[^\s:：]{1,20}(?: [^\s:：]{1,20}){0,2}\s?[:：]\s*)+/u

/** Programs repeat longer paragraphs than a person who answers "yes" several times. */
const minParagraph = 60

const digestOf = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

const seriesOf = ({ user, address, thread, text, reference }: ReceivedEmail): Series[] => {
  const { subject, references } = v.parse(v.pick(Reply, ['subject', 'references']), reference)
  const base = subject.replace(prefixes, '')
  const isReply = references.length > 1 || base !== subject
  const quick = limits.emailMachineTime
  if (!isReply) return [{ key: digestOf(user, address, 'letter', subject, text), within: quick }]
  const conversation = references.length > 1 ? ['thread', thread ?? ''] : ['subject', base]
  // The first e-mail of a conversation has its subject above the text.
  const [paragraph = ''] = text.replace(`Subject: ${subject}\n\n`, '').split(/\n\s*\n/)
  const same = { key: digestOf(user, address, 'paragraph', paragraph), within: limits.emailRepeatTime }
  return [{ key: digestOf(user, address, ...conversation), within: quick }, ...(paragraph.length < minParagraph ? [] : [same])]
}

const setBounded = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > limits.rateKeys && oldest !== undefined) map.delete(oldest)
}

export class Loops {
  /** Time of the last e-mail to each person. */
  readonly #sent = new Map<string, number>()
  /** Ids of consecutive e-mails, by series. */
  readonly #runs = new Map<string, readonly string[]>()

  sent(to: string): void {
    setBounded(this.#sent, to, performance.now())
  }

  /** Whether this e-mail exceeds the limit. A redelivered e-mail counts once. */
  isLoop(email: ReceivedEmail): boolean {
    const since = performance.now() - (this.#sent.get(email.user) ?? -Infinity)
    const runs = seriesOf(email).map(({ key, within }) => this.#count(key, email.id, since < within))
    return runs.some((place) => place >= limits.emailLoop)
  }

  /** Position in the run. */
  #count(key: string, id: string, goesOn: boolean): number {
    // The unit's e-mail before it was a reply too.
    const run = this.#runs.get(key) ?? ['']
    const known = run.indexOf(id)
    if (known >= 0) return known
    const next = goesOn ? [...run.slice(-limits.emailLoop), id] : [id]
    setBounded(this.#runs, key, next)
    return next.length - 1
  }
}
