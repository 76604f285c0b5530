// Talks to an agent as a person would: send, then wait for the reply to that very message.
import { randomUUID } from 'node:crypto'
import type { Unit } from './unit.ts'
import { waitFor } from './wait-for.ts'

export const say = async (unit: Unit, text: string, group = 'dev-agent'): Promise<string> => {
  const { messageId } = await unit.client.chat.send({ agentGroupID: group, text })
  return replyTo(unit, messageId, group)
}

export const replyTo = (unit: Unit, messageId: string, group = 'dev-agent'): Promise<string> =>
  waitFor(`a reply to ${messageId}`, 180_000, async () => {
    const { messages } = await unit.client.chat.messages(group)
    const replies = messages.filter((message) => message.inReplyTo === messageId)
    if (replies.length > 1) throw new Error(`${replies.length} replies to one message`)
    return replies[0]?.text
  })

/** What a person does whose answer was lost or late: the same again, under the same key. */
export const sendSurely = (unit: Unit, text: string, conversationId?: string) => {
  const idempotencyKey = randomUUID()
  const body = { agentGroupID: 'dev-agent', text, ...(conversationId === undefined ? {} : { conversationId }) }
  return waitFor(`"${text}" to be taken`, 180_000, () => unit.client.chat.send(body, { idempotencyKey }))
}

/** Page by page from the beginning. */
export const allMessages = async (unit: Unit, group = 'dev-agent') => {
  const all: Awaited<ReturnType<Unit['client']['chat']['messages']>>['messages'] = []
  for (;;) {
    const page = (await unit.client.chat.messages(group, { after: all.at(-1)?.seq ?? 0 })).messages
    if (page.length === 0) return all
    all.push(...page)
  }
}
