// The context of guards and handlers.
import type { ControlPlaneBoot, Digest, Principal } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { CallOptions } from '@gatehouse/rpc'
import type { HttpBindings } from '@hono/node-server'
import type { Peers, UnitStatus } from './collect-status.ts'
import type { Console } from './console/assets.ts'
import type { Events } from './events/events.ts'
import type { History } from './history.ts'

export interface Unit {
  readonly boot: ControlPlaneBoot
  readonly peers: Peers
  readonly log: Logger
  readonly metrics: Metrics
  readonly console: Console
  readonly events: Events
  /** Metrics of the last hour. */
  readonly history: History
  /** RFC 3339. */
  readonly startedAt: string
  /** Concurrent callers share one run. */
  survey(): Promise<UnitStatus>
}

export interface Env {
  Bindings: Partial<HttpBindings>
  Variables: {
    unit: Unit
    requestId: string
    /** SHA-256 of the presented token; null where none was presented. */
    token: Digest | null
    /** The principal of the token according to the gateway. Set for every path that requires a token. */
    principal: Principal
    /** The client address, if known. */
    address: string
    /** The text of a JSON body, after it was read. */
    body: string
    /** Whether invisible characters in the response are already escaped. */
    isEscaped: boolean
    /** Context of every call to another process for this request. */
    call: CallOptions
  }
}
