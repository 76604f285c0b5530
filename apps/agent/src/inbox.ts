// Handles the messages of the inbox in order. A message that is not acknowledged is delivered again.
import { limits } from '@gatehouse/contracts'
import { logError } from './log-error.ts'
import { explain, fields } from './host/fields.ts'
import type { Message, SessionClient } from './host/session.ts'

/** Maximum bytes of a reply. Longer ones are truncated with a mark. */
const maxReplyBytes = limits.messageText
const cutMark = '\n[truncated: the answer was longer than 256 KiB]'

const fitReply = (reply: string): string => {
  if (Buffer.byteLength(reply) <= maxReplyBytes) return reply
  const kept = Buffer.from(reply).subarray(0, maxReplyBytes - cutMark.length - 4)
  return `${kept.toString('utf8').replace(/\uFFFD+$/, '')}${cutMark}`
}

export interface Reply {
  /** `r-<inbox id>-<n>`: stable across redeliveries. */
  readonly id: string
  readonly text: string
  /** Paths of files to send with it. */
  readonly files?: readonly string[]
}

/** Resolves with the reason if the host refused the reply, which is then logged and dropped; with undefined if the host took it. */
export const sendReply = async (session: SessionClient, { id, text, files = [] }: Reply, message: string): Promise<string | undefined> => {
  const reply = { id, text: fitReply(text), inReplyTo: message, ...(files.length > 0 && { files }) }
  const { status, body } = await session.reply(reply)
  if (status < 400) return undefined
  logError(`the host refused a reply with ${status}: ${JSON.stringify(fields(body)['detail'] ?? null)}`)
  const { hint } = fields(body)
  return typeof hint === 'string' ? `${explain(body, status)}: ${hint}` : explain(body, status)
}

/** Runs until the signal of the session is aborted, then rejects with the signal's reason. */
export const eachMessage = async (session: SessionClient, handle: (message: Message) => Promise<void>): Promise<never> => {
  for (;;) {
    for (const message of await session.inbox()) {
      await handle(message)
      await session.acknowledge(message.id)
    }
  }
}
