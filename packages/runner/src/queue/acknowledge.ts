// Notes that the agent is done with a message, which is then never delivered again.
import { type MessageID, ServiceError } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import { waitingIn } from './waiting.ts'

/** Resolves to what still waits. Acknowledging twice is no error; an unknown id is `not-found`. */
export const acknowledge = async (store: Store, id: MessageID): Promise<number> =>
  store.write(async (tx) => {
    const { changes } = await tx.run("UPDATE messages SET acked = 1 WHERE id = ? AND direction = 'in'", [id])
    if (changes === 0) throw new ServiceError('not-found', { detail: `The inbox of this session has no message ${id}.` })
    return waitingIn(tx)
  })
