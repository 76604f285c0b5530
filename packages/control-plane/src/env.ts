// What every guard and handler finds in its context.
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
  /** The last hour in numbers. */
  readonly history: History
  /** RFC 3339. */
  readonly startedAt: string
  /** Callers at the same time share one survey. */
  survey(): Promise<UnitStatus>
}

export interface Env {
  Bindings: Partial<HttpBindings>
  Variables: {
    unit: Unit
    requestId: string
    /** SHA-256 of the presented token; null where none was presented. */
    token: Digest | null
    /** Who holds it, as the gateway says; set for every path behind the token. */
    principal: Principal
    /** Where the request came from, as far as it is known. */
    address: string
    /** The text of a JSON body, once it was read. */
    body: string
    /** Whether nothing in the answer hides text any more. */
    isEscaped: boolean
    /** Goes with every call that this request causes. */
    call: CallOptions
  }
}
