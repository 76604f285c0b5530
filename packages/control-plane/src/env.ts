// What every guard and handler finds in its context.
import type {
  brokerControlPlane,
  ControlPlaneBoot,
  Digest,
  gatewayControlPlane,
  runnerControlPlane,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { CallOptions, Calls } from '@gatehouse/rpc'
import type { HttpBindings } from '@hono/node-server'
import type { Console } from './console/load.ts'
import type { Survey } from './health/survey.ts'

/** The processes that the control plane may call. It holds no secret and no power of its own. */
export interface Peers {
  readonly gateway: Calls<typeof gatewayControlPlane>
  readonly runner: Calls<typeof runnerControlPlane>
  readonly supervisor: Calls<typeof supervisorControlPlane>
  /** Null on a unit without tool servers. */
  readonly broker: Calls<typeof brokerControlPlane> | null
  gatewayConnected(): boolean
}

export interface Unit {
  readonly boot: ControlPlaneBoot
  readonly peers: Peers
  readonly log: Logger
  readonly metrics: Metrics
  readonly console: Console
  /** RFC 3339. */
  readonly startedAt: string
  /** Callers at the same time share one survey. */
  survey(): Promise<Survey>
}

export interface Env {
  Bindings: Partial<HttpBindings>
  Variables: {
    unit: Unit
    requestId: string
    /** SHA-256 of the presented token; null where none was presented. */
    token: Digest | null
    /** Goes with every call that this request causes. */
    call: CallOptions
  }
}
