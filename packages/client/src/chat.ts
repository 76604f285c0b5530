// Talking to agent groups.
import { ChatMessages, ChatSendAnswer, type ChatSendBody } from '@gatehouse/contracts'
import type * as v from 'valibot'
import { type AttemptOptions, attemptHeaders } from './changes.ts'
import type { MessagesWanted } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export const chatOf = ({ send }: Exchange) => ({
  /** The reply comes later, among the messages. */
  send: (body: v.InferInput<typeof ChatSendBody>, options?: AttemptOptions) =>
    send({ method: 'POST', path: '/v1/ui/chat/send', body, headers: attemptHeaders(options) }, ChatSendAnswer, options),
  messages: (agentGroupID: string, wanted: MessagesWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/ui/chat/${encodeURIComponent(agentGroupID)}/messages`, query: { ...wanted } }, ChatMessages, options),
})
