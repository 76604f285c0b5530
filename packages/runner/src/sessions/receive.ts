// Accepts a message for the agent: stores it, then passes it to the waiting poll. Also reports decisions on the agent's changes.
import { type ChangeID, type ChangeState, MessageID } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'
import { accept, type Origin, type RepeatKey, type Stored } from '../queue/accept.ts'
import { recordReported } from '../queue/notes.ts'
import type { Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import { checkDisk, appendWithSequence, withQueue } from './queue-access.ts'
import { ensureRunning } from './supervise.ts'

export interface Received {
  readonly id: MessageID
  readonly from: 'user' | 'system'
  readonly text: string
  readonly repeat?: RepeatKey | undefined
  readonly origin?: Origin | undefined
}

/** The launch, if one is needed, goes on by itself. */
export const receive = async (context: Context, session: Session, message: Received): Promise<Stored> => {
  // What the host itself has to say is little, and somebody waits for it.
  if (message.from === 'user') await checkDisk(context)
  const at = wallTime()
  const stored = await context.writeGate.during(() =>
    appendWithSequence(context, session, (store, seq) => accept(store, { ...message, seq, at })),
  )
  session.waiting = stored.waiting
  if (stored.stored) session.words.give()
  session.news.emit('message')
  ensureRunning(context, session)
  return stored
}

/** Tells an agent what became of the change that it asked for. */
export interface Decided {
  readonly id: ChangeID
  readonly state: ChangeState
  readonly kind: string
  readonly reason?: string | undefined
}

/** States that end a change; the others are followed by one of these. */
const verdicts: Partial<Record<ChangeState, string>> = {
  refused: 'was refused',
  rejected: 'was rejected',
  withdrawn: 'was withdrawn',
  expired: 'expired before anybody decided',
  applied: 'was applied',
  apply_failed: 'was approved but could not be applied',
}

/** Idempotent: the agent receives each decision once. */
export const reportDecision = async (context: Context, session: Session, { id, state, kind, reason }: Decided): Promise<void> => {
  const verdict = verdicts[state]
  if (verdict === undefined) return
  const text = `change ${id} (${kind}) ${verdict}${reason === undefined ? '' : `: ${reason}`}`
  await receive(context, session, { id: v.parse(MessageID, `s-${id}-${state}`), from: 'system', text })
  await withQueue(context, session, (store) => recordReported(store, id))
}
