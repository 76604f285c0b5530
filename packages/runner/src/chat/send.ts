// Takes a message from a person. It is on disk before the answer; the sandbox is not waited for.
import { randomUUID } from 'node:crypto'
import { ConversationID, MessageID, type Params, type Result, type runnerControlPlane } from '@gatehouse/contracts'
import * as v from 'valibot'
import { adopt } from '../sessions/adopt.ts'
import type { Context } from '../sessions/context.ts'
import { receive } from '../sessions/receive.ts'

type Edge = typeof runnerControlPlane

const defaultConversation = v.parse(ConversationID, 'console')

export const send = async (
  context: Context,
  { agentGroupID, conversationId, text }: Params<Edge, 'send'>,
): Promise<Result<Edge, 'send'>> => {
  const refusal = context.posture.refusal()
  if (refusal !== undefined) throw refusal
  const conversationID = conversationId ?? defaultConversation
  const session = adopt(context, await context.gateway.openSession({ agentGroupID, conversationID }))
  const id = v.parse(MessageID, `m-${randomUUID()}`)
  await receive(context, session, { id, from: 'user', text })
  return { conversationId: conversationID, messageId: id, sessionId: session.id }
}
