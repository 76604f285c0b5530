// Handlers of `session.sock`: the long poll for messages, acknowledgements, and changes that the agent requests.
import { once } from 'node:events'
import {
  type ChangeAnswer,
  type ChangeID,
  type ChangeRequest,
  type ChangeWithdrawal,
  type InboxMessage,
  limits,
  type MessageID,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import { acknowledge as acknowledgeIn } from '../queue/accept.ts'
import { deliver } from '../queue/list.ts'
import { noteRequest } from '../queue/notes.ts'
import { settle } from '../session/run.ts'
import { recordAcknowledged, recordHandout, reportFullDisk, turnSince } from '../sessions/post-message.ts'
import { withQueue } from '../sessions/queue-access.ts'
import type { Caller } from '../state/context.ts'

/** A sandbox that is to leave, or that is frozen, gets what it had before, and nothing new. */
const take = async ({ context, session, run }: Caller): Promise<InboxMessage[]> => {
  run.busy += 1
  try {
    const waiting = await withQueue(context, session, deliver)
    const closed = run.leaving !== undefined || session.frozen
    const messages = waiting.filter(({ id }) => !run.signal.aborted && (!closed || run.delivered.has(id)))
    for (const message of messages) {
      run.delivered.add(message.id)
      recordHandout(context, session, message)
    }
    return messages
  } finally {
    run.busy -= 1
    settle(run)
  }
}

export interface Wait {
  /** Seconds. */
  readonly wait: number
  /** Aborts when the caller has gone. */
  readonly gone: AbortSignal
}

/** At most one waits for a session: a newer one takes over. */
export const inbox = async (caller: Caller, { wait, gone }: Wait): Promise<InboxMessage[]> => {
  const { session, run } = caller
  const poll = new AbortController()
  const end = (): void => poll.abort()
  run.poll?.abort()
  run.poll = poll
  const late = setTimeout(end, Math.min(wait * 1000, limits.inboxWait))
  for (const signal of [gone, run.signal]) signal.addEventListener('abort', end, { signal: poll.signal })
  if (gone.aborted || run.signal.aborted) end()
  try {
    for (;;) {
      const told = once(session.news, 'message', { signal: poll.signal }).then(
        () => true,
        () => false,
      )
      const messages = await take(caller)
      if (messages.length > 0 || !(await told)) return messages
    }
  } finally {
    clearTimeout(late)
    end()
  }
}

/** The agent is done with a message. */
export const acknowledge = async ({ context, session, run }: Caller, id: MessageID): Promise<void> => {
  session.waiting = await withQueue(context, session, (store) => acknowledgeIn(store, id))
  run.delivered.delete(id)
  recordAcknowledged(session, id)
  run.proved = true
  reportFullDisk(context, session, run).catch((error: unknown) =>
    context.log.warn('could not report a full disk', { session: session.id, error }),
  )
}

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
