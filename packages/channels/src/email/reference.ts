// The data stored with a message so that it can be answered by e-mail, and the same for an e-mail that starts a thread.
import { isMailAddress, type Reference } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { DirectNotice, Outgoing } from '../channel.ts'
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
