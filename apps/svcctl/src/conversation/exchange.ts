// One message to an agent and what comes back.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@gatehouse/client'
import { ChatMessage, ChatSendAnswer, limits, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

export interface Said {
  readonly group: string
  readonly text: string
  readonly conversation: string | undefined
  /** Milliseconds to wait for the reply. */
  readonly patience: number
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

export const ExchangedSchema = v.strictObject({ ...ChatSendAnswer.entries, replies: v.array(ChatMessage) })
export type Exchanged = v.InferOutput<typeof ExchangedSchema>

const first = 50
const most = 500

const pageAfter = async (client: Client, group: string, after: number): Promise<ChatMessage[]> =>
  (await client.chat.messages(group, { after, limit: limits.chatPage })).messages

/** Number of the last message that the group has now. */
const lastSeq = async (client: Client, group: string): Promise<number> => {
  const { messages } = await client.chat.messages(group, { limit: 1 })
  return messages.at(-1)?.seq ?? 0
}

const answers = (message: ChatMessage, sent: ChatSendAnswer): boolean =>
  message.from === 'agent' && (message.inReplyTo === undefined || message.inReplyTo === sent.messageId)

/** Gives `heard` each message as it comes, and resolves with the agent's answer. Rejects with `deadline` if none comes. */
export const exchange = async (client: Client, said: Said, heard: (message: ChatMessage) => void): Promise<Exchanged> => {
  const { group, text, conversation } = said
  let last = await lastSeq(client, group)
  const sent = await client.chat.send({ agentGroupID: group, text, ...(conversation !== undefined && { conversationId: conversation }) })
  const until = performance.now() + said.patience
  const replies: ChatMessage[] = []
  for (let wait = first; ; wait = Math.min(most, wait * 1.5)) {
    const page = await pageAfter(client, group, last)
    last = page.at(-1)?.seq ?? last
    const others = page.filter((message) => message.from !== 'user' && message.conversationId === sent.conversationId)
    others.forEach(heard)
    replies.push(...others)
    if (others.some((message) => answers(message, sent))) return { ...sent, replies }
    if (performance.now() >= until) throw late(said)
    await pause(Math.min(wait, Math.max(0, until - performance.now())), undefined, { signal: said.signal })
  }
}

const late = ({ group, patience }: Said): ServiceError =>
  new ServiceError('deadline', {
    detail: `expected a reply of ${group} within ${Math.round(patience / 1000)} s, got none; the message was delivered`,
    hint: 'svcctl status, or wait longer with --timeout',
  })
