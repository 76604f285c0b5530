// Collects the status of the unit from its processes. A process that is down is listed as degraded and blocks nothing else.
import type {
  brokerControlPlane,
  channelsControlPlane,
  ControlPlaneBoot,
  gatewayControlPlane,
  Health,
  modelProxyControlPlane,
  ProcessState,
  runnerControlPlane,
  SandboxPosture,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import type { CallOptions, Calls } from '@gatehouse/rpc'
import type { Console } from './console/assets.ts'

/** The processes that the control plane calls. It has no secrets or permissions of its own. */
export interface Peers {
  readonly gateway: Calls<typeof gatewayControlPlane>
  readonly runner: Calls<typeof runnerControlPlane>
  readonly supervisor: Calls<typeof supervisorControlPlane>
  /** Null if the unit has no tool servers. */
  readonly broker: Calls<typeof brokerControlPlane> | null
  /** Null if the unit has no key of a model provider. */
  readonly modelProxy: Calls<typeof modelProxyControlPlane> | null
  /** Null if the unit has no channel credentials. */
  readonly channels: Calls<typeof channelsControlPlane> | null
  gatewayConnected(): boolean
}

export interface UnitStatus {
  /** True only if the gateway is known to be serving. */
  readonly serves: boolean
  readonly sandbox: SandboxPosture | { readonly status: 'unknown' }
  readonly processes: readonly ProcessState[]
  /** Names of degraded parts. */
  readonly degraded: readonly string[]
}

interface Parts {
  readonly boot: ControlPlaneBoot
  readonly peers: Peers
  readonly console: Console
}
interface Reported {
  readonly processes: readonly ProcessState[]
  readonly services: Readonly<Record<string, Health>>
}

const postureTime = 1_000

const readPosture = async ({ boot, peers }: Parts, call: CallOptions): Promise<UnitStatus['sandbox']> => {
  if (boot.sandbox === 'off') return { driver: 'off', status: 'off', missing: [] }
  return peers.runner.posture({}, { ...call, deadline: postureTime }).catch(() => ({ status: 'unknown' as const }))
}

const faultsOf = ([name, { status, degraded }]: [string, Health]): readonly string[] => {
  if (status === 'ready') return []
  return status === 'failed' || degraded.length === 0 ? [name] : degraded
}

/** This process is up, even if its watcher has not reported it yet. */
const absent = ({ processes }: Reported): readonly string[] =>
  processes.filter(({ name, state }) => state !== 'ready' && name !== 'control-plane').map(({ name }) => name)

export const collectStatus = async (parts: Parts, call: CallOptions = {}): Promise<UnitStatus> => {
  const { peers } = parts
  const [reported, sandbox] = await Promise.all([
    peers.supervisor.health({}, call).catch((): Reported | undefined => undefined),
    readPosture(parts, call),
  ])
  const gatewayServes = peers.gatewayConnected() && (reported === undefined || (reported.services.gateway?.status ?? 'failed') !== 'failed')
  const serves = gatewayServes && reported !== undefined
  const degraded = [
    ...(reported === undefined ? ['supervisor'] : [...absent(reported), ...Object.entries(reported.services).flatMap(faultsOf)]),
    ...(gatewayServes ? [] : ['gateway']),
    ...(sandbox.status === 'unknown' ? ['runner'] : []),
    ...(parts.console.size === 0 ? ['console'] : []),
  ]
  return { serves, sandbox, processes: reported?.processes ?? [], degraded: [...new Set(degraded)].toSorted() }
}

/** Concurrent callers share one run. */
export const shared = <T>(act: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | undefined
  return () => {
    running ??= act().finally(() => {
      running = undefined
    })
    return running
  }
}
