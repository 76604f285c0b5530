// What is kept beside a message so that it can be answered by e-mail, and what a letter needs that answers none.
import { isMailAddress, type Reference } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Concern, Outgoing } from '../channel.ts'
import type { MailAccount } from './credentials.ts'

export const Reply = v.object({
  to: v.pipe(v.string(), v.check(isMailAddress)),
  subject: v.string(),
  /** Ids of what it answers, the first one first. */
  references: v.array(v.string()),
  /** It answers nothing. */
  opens: v.optional(v.boolean(), false),
})
export type Reply = v.InferOutput<typeof Reply>

/** The same each time, so that who gets it twice can tell. It carries the thread, since some programs forget the rest. */
export const messageID = ({ id, thread }: Pick<Outgoing, 'id' | 'thread'>, { from }: MailAccount): string =>
  `<${id}${thread === undefined ? '' : `.${thread}`}@${from.address.slice(from.address.indexOf('@') + 1)}>`

/** Who spoke last in the conversation hears of it there; others in a letter of their own, and what follows in that one's thread. */
export const directTo =
  (account: MailAccount) =>
  (user: string, { subject, thread, earlier, reference }: Concern): Reference => {
    if (reference['to'] === user) return reference
    const references = earlier === undefined ? [] : [messageID({ id: earlier, thread }, account)]
    return { to: user, subject, references, opens: references.length === 0 }
  }
