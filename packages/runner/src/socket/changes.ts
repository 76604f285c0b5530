// The agent asks for a change. Whether anything comes of it is decided elsewhere, by a human.
import type { ChangeAnswer, ChangeID, ChangeRequest, ChangeWithdrawal } from '@gatehouse/contracts'
import type * as v from 'valibot'
import { noteRequest } from '../queue/requests.ts'
import { turnSince } from '../sessions/turn.ts'
import { withQueue } from '../sessions/with-queue.ts'
import type { Caller } from './caller.ts'

/** Noted before the answer, so that the decision finds its way even if nobody runs when it is made. */
export const requestChange = async ({ context, session }: Caller, request: v.InferOutput<typeof ChangeRequest>): Promise<ChangeAnswer> => {
  const since = turnSince(session)
  const { id, state } = await context.gateway.submitFor({
    session: session.id,
    ...request,
    ...(since === undefined ? {} : { turnSince: since }),
  })
  await withQueue(context, session, (store) => noteRequest(store, { id, kind: request.kind }))
  session.untold = true
  return { id, state }
}

export const readChange = async ({ context, session }: Caller, id: ChangeID): Promise<ChangeAnswer> =>
  context.gateway.changeFor({ session: session.id, id })

/** That it was withdrawn is told like any other end of a change, also to an agent that lost this answer. */
export const withdrawChange = async (
  { context, session }: Caller,
  id: ChangeID,
  { reason }: v.InferOutput<typeof ChangeWithdrawal>,
): Promise<ChangeAnswer> => context.gateway.withdrawFor({ session: session.id, id, reason })
