// What the acts on packages need of the runner.
import type { gatewayRunner, HostIdentity } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Posture } from '../sandbox/posture.ts'
import type { RegistryPlace } from './forwarder.ts'

export interface TreePlace {
  readonly unitId: string
  readonly stateDir: string
  readonly runDir: string
  readonly gateway: Pick<Calls<typeof gatewayRunner>, 'tree' | 'trees' | 'resolved'>
  readonly posture: Pick<Posture, 'engaged'>
  /** Where packages come from. */
  readonly registry: RegistryPlace
  /** Host identity of what belongs to no session; null where the unit is not root. */
  readonly identities: HostIdentity | null
  /** Milliseconds that one task about a tree may take. */
  readonly treeTime: number
  readonly log: Logger
  /** Aborts when the runner stops. */
  readonly closing: AbortSignal
}
