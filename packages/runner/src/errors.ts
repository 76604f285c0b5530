// Errors that the runner throws and recognizes.
import { type ContainerStart, ServiceError, type SessionID } from '@gatehouse/contracts'

/** Why a sandbox cannot be launched until something changes. */
export class LaunchRefused extends Error {
  /** What a person has to do before the session is resumed. */
  readonly fix: string | undefined

  constructor(reason: string, fix?: string) {
    super(reason)
    this.fix = fix
  }
}

/** Why a queue cannot be used: only its session is parked, and the queue is not replaced by an empty one. */
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

/** Why a container is not started: a class for the broker, and a sentence for the operator. */
type Reason = Extract<ContainerStart, { started: false }>['reason']

export class ContainerRefused extends Error {
  readonly reason: Reason

  constructor(reason: Reason, detail: string) {
    super(detail)
    this.name = 'ContainerRefused'
    this.reason = reason
  }
}
