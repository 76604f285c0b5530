// Why a container is not started: a class for the broker, and a sentence for the operator.
import type { ContainerStart } from '@gatehouse/contracts'

type Reason = Extract<ContainerStart, { started: false }>['reason']

export class ContainerRefused extends Error {
  readonly reason: Reason

  constructor(reason: Reason, detail: string) {
    super(detail)
    this.name = 'ContainerRefused'
    this.reason = reason
  }
}
