// The control plane: the listener with its application, and the handlers for calls of the supervisor.
import type { ControlPlaneBoot } from '@gatehouse/contracts'
import { isLoopback, type Logger, type Metrics, wallTime } from '@gatehouse/kernel'
import { createLife, type LifeHandlers } from '@gatehouse/rpc'
import { createApp } from './app.ts'
import { collectStatus, type Peers, shared } from './collect-status.ts'
import { loadConsole } from './console/assets.ts'
import type { Unit } from './env.ts'
import type { Events } from './events/events.ts'
import { createHistory } from './history.ts'
import { listen, type Listening } from './server/listen.ts'

export { createEvents, type Events } from './events/events.ts'
export { generateOpenApi } from './open-api.ts'

export interface ControlPlaneDeps {
  readonly boot: ControlPlaneBoot
  readonly peers: Peers
  readonly log: Logger
  readonly metrics: Metrics
  /** Called with the events that the gateway publishes. */
  readonly events: Events
}

export interface ControlPlane {
  readonly port: number
  readonly life: LifeHandlers
  stop(): Promise<void>
}

export const createUnit = async (deps: ControlPlaneDeps): Promise<Unit> => {
  const parts = { ...deps, console: await loadConsole(deps.boot.console), startedAt: wallTime() }
  const history = createHistory({ read: () => deps.peers.supervisor.metrics({}, {}), log: deps.log })
  return { ...parts, history, survey: shared(() => collectStatus(parts)) }
}

const createUnitLife = (unit: Unit, port: number): ControlPlane['life'] => {
  const degraded = unit.console.size === 0 ? ['console'] : []
  const status = degraded.length === 0 ? 'ready' : 'degraded'
  return createLife(unit.metrics, () => ({ status, degraded, facts: { host: unit.boot.host, port } }))
}

/** Ends event streams, which would keep their connections open forever. */
const stop = ({ events, history }: Unit, listening: Listening): Promise<void> => {
  history.stop()
  events.close()
  return listening.close()
}

/** Resolves when it listens. Throws `Refusal` if it cannot listen on the address. */
export const createControlPlane = async (deps: ControlPlaneDeps): Promise<ControlPlane> => {
  const unit = await createUnit(deps)
  if (!isLoopback(deps.boot.host) && deps.boot.publicUrls.length === 0) {
    deps.log.warn('the Host header is not checked: set SERVICE_PUBLIC_URL to the public address', { host: deps.boot.host })
  }
  if (unit.console.size === 0) deps.log.warn('the console is not built: /ui/ returns 404', { directory: deps.boot.console })
  const listening = await listen(deps.boot)
  listening.serve(createApp({ unit, port: listening.port }).fetch)
  unit.history.start()
  deps.log.info('listening', { host: deps.boot.host, port: listening.port })
  return { port: listening.port, life: createUnitLife(unit, listening.port), stop: () => stop(unit, listening) }
}
