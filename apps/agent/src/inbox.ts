// Takes messages from the inbox in order. A message that is not acknowledged is delivered again.
import { limits } from '@gatehouse/contracts'
import { complain } from './complain.ts'
import { explain, fields } from './host/fields.ts'
import type { Message, SessionClient } from './host/session.ts'

/** What is beyond is cut where people see it. */
const longestReply = limits.messageText
const cutMark = '\n[cut: the answer was longer than 256 KiB]'

const fitReply = (reply: string): string => {
  if (Buffer.byteLength(reply) <= longestReply) return reply
  const kept = Buffer.from(reply).subarray(0, longestReply - cutMark.length - 4)
  return `${kept.toString('utf8').replace(/\uFFFD+$/, '')}${cutMark}`
}

export interface Reply {
  /** `r-<inbox id>-<n>`: the same for the same reply, also after a redelivery. */
  readonly id: string
  readonly text: string
  /** Paths of files that go with it. */
  readonly files?: readonly string[]
}

/** Resolves with why the host will never take it; undefined where it did. That is complained of, and the reply dropped. */
export const sendReply = async (session: SessionClient, { id, text, files = [] }: Reply, message: string): Promise<string | undefined> => {
  const reply = { id, text: fitReply(text), inReplyTo: message, ...(files.length > 0 && { files }) }
  const { status, body } = await session.reply(reply)
  if (status < 400) return undefined
  complain(`the host refused a reply with ${status}: ${JSON.stringify(fields(body)['detail'] ?? null)}`)
  const { hint } = fields(body)
  return typeof hint === 'string' ? `${explain(body, status)}: ${hint}` : explain(body, status)
}

/** Runs until the signal given to the session is aborted; then it rejects with the signal's reason. */
export const eachMessage = async (session: SessionClient, handle: (message: Message) => Promise<void>): Promise<never> => {
  for (;;) {
    for (const message of await session.inbox()) {
      await handle(message)
      await session.acknowledge(message.id)
    }
  }
}
