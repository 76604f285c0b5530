// Why a queue cannot be used: its session alone is parked, and nothing empty takes its place.
import { ServiceError, type SessionID } from '@gatehouse/contracts'

export class UnreadableQueue extends ServiceError {
  /** One clause, naming files as the state directory does. */
  readonly reason: string

  constructor(session: SessionID, reason: string, cause?: unknown) {
    super('conflict', {
      detail: `The queue of session ${session} cannot be read: ${reason}.`,
      hint: `Restore queues/${session}.db and keys/${session}.key together from a backup and restart the unit.`,
      cause,
    })
    this.reason = reason
  }
}
