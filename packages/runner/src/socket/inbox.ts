// The long poll: answers with what is not acknowledged, or waits for it.
import { once } from 'node:events'
import { type InboxMessage, limits } from '@gatehouse/contracts'
import { deliver } from '../queue/deliver.ts'
import { settle } from '../sessions/run.ts'
import { noteHanded } from '../sessions/turn.ts'
import { withQueue } from '../sessions/with-queue.ts'
import type { Caller } from './caller.ts'

/** A sandbox that is to leave, or that is frozen, gets what it had before, and nothing new. */
const take = async ({ context, session, run }: Caller): Promise<InboxMessage[]> => {
  run.busy += 1
  try {
    const waiting = await withQueue(context, session, deliver)
    const closed = run.leaving !== undefined || session.frozen
    const messages = waiting.filter(({ id }) => !run.signal.aborted && (!closed || run.delivered.has(id)))
    for (const message of messages) {
      run.delivered.add(message.id)
      noteHanded(context, session, message)
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
