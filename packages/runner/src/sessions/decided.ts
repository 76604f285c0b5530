// Tells an agent what became of the change that it asked for.
import { type ChangeID, type ChangeState, MessageID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { noteTold } from '../queue/requests.ts'
import type { Context } from './context.ts'
import { receive } from './receive.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

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

/** However often it is told, the agent hears it once. */
export const decided = async (context: Context, session: Session, { id, state, kind, reason }: Decided): Promise<void> => {
  const verdict = verdicts[state]
  if (verdict === undefined) return
  const text = `change ${id} (${kind}) ${verdict}${reason === undefined ? '' : `: ${reason}`}`
  await receive(context, session, { id: v.parse(MessageID, `s-${id}-${state}`), from: 'system', text })
  await withQueue(context, session, (store) => noteTold(store, id))
}
