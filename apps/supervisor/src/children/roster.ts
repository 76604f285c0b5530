// The processes of a unit and the boot document of each. A process that is not configured is not in the list.
import { randomBytes } from 'node:crypto'
import {
  type BrokerBoot,
  brokerControlPlane,
  type ChannelsBoot,
  channelsControlPlane,
  type ControlPlaneBoot,
  type Edge,
  type GatewayBoot,
  gatewayBroker,
  gatewayChannels,
  gatewayControlPlane,
  gatewayModelProxy,
  gatewayRunner,
  lifeEdge,
  type ModelProxyBoot,
  modelProxyControlPlane,
  runnerBackup,
  type RunnerBoot,
  runnerBroker,
  runnerChannels,
  runnerControlPlane,
  type Service,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { identities } from '../identities.ts'
import type { Subkeys } from '../keys/keyring.ts'
import { hasChannels } from '../plan/channels.ts'
import type { SampleCommand } from '../plan/installation.ts'
import type { Plan } from '../plan/plan.ts'

export interface Birth {
  readonly name: Service
  readonly boot: GatewayBoot | BrokerBoot | ModelProxyBoot | RunnerBoot | ChannelsBoot | ControlPlaneBoot
}

export interface Unit {
  readonly plan: Plan
  readonly installation: string
  readonly unitId: string
  readonly runDir: string
  readonly formerUnitIds: readonly string[]
  /** Directory of the bundles, the console and the root file system. */
  readonly release: string
  readonly keys: Subkeys
  readonly token: string | null
  readonly isRoot: boolean
  readonly sampleCommand: SampleCommand | null
}

export type Secrets = (...edges: readonly Pick<Edge, 'name'>[]) => Record<string, string>

/** One secret per edge, created at each start of the unit, except those that the halves of a split unit share. */
export const createEdgeSecrets = (given: Readonly<Record<string, string>> = {}): Secrets => {
  const known = new Map(Object.entries(given))
  const secretOf = (name: string): string => {
    const secret = known.get(name) ?? randomBytes(32).toString('hex')
    known.set(name, secret)
    return secret
  }
  return (...edges) => Object.fromEntries(edges.map(({ name }) => [name, secretOf(name)]))
}

const hasEndpoint = ({ plan }: Pick<Unit, 'plan'>): boolean => plan.catalog !== null && plan.mcpEndpoint

const common = ({ plan, installation, runDir }: Pick<Unit, 'plan' | 'installation' | 'runDir'>) => ({
  mode: plan.mode,
  version: plan.version,
  installation,
  stateDir: plan.stateDir,
  runDir,
  ...(plan.split === null ? {} : { halves: plan.split.halves }),
  logLevel: plan.logLevel,
})

/** Without it nobody asks the runner for a container: there is no door for it. */
const runsContainers = ({ plan }: Pick<Unit, 'plan'>): boolean => plan.catalog !== null && plan.isolation === 'container'

/** Absent with the process behind them. */
const gatewayDoors = ({ plan }: Unit): Edge[] => [
  ...(plan.catalog === null ? [] : [gatewayBroker]),
  ...(plan.models.length === 0 ? [] : [gatewayModelProxy]),
  ...(hasChannels(plan.channels) ? [gatewayChannels] : []),
]

const gateway = (unit: Unit, secrets: Secrets): GatewayBoot => ({
  ...common(unit),
  edges: secrets(gatewayControlPlane, gatewayRunner, lifeEdge('gateway'), ...gatewayDoors(unit)),
  keys: {
    database: unit.keys.database,
    journal: unit.keys.journal,
    secrets: unit.keys.secrets,
    epoch: unit.keys.epoch,
    formerSecrets: [...unit.keys.formerSecrets],
  },
  adminToken: unit.token === null ? null : sha256(unit.token),
  catalog: unit.plan.catalog,
  models: unit.plan.models.map(({ name }) => name),
  // The runner of a split unit always runs as root.
  identities: unit.isRoot || unit.plan.split !== null ? identities : null,
  seed: unit.plan.seed,
  pinning: unit.plan.pinning,
  mcpEndpoint: hasEndpoint(unit),
  approvals: unit.plan.approvals,
  changeTtl: unit.plan.changeTtl,
  mountAllow: [...unit.plan.mountAllow],
  sample: unit.sampleCommand,
})

const broker = (unit: Unit, secrets: Secrets): BrokerBoot => ({
  ...common(unit),
  edges: secrets(gatewayBroker, brokerControlPlane, lifeEdge('broker'), ...(runsContainers(unit) ? [runnerBroker] : [])),
  keys: { logins: unit.keys.logins, formerLogins: [...unit.keys.formerLogins] },
  isolation: unit.plan.isolation,
  variables: unit.plan.variables,
  isRated: unit.plan.rate !== null,
  callsRetention: unit.plan.callsRetention,
  ownAddress: `${unit.plan.host}:${unit.plan.port}`,
  outbound: unit.plan.outbound,
  mcpEndpoint: hasEndpoint(unit),
})

const modelProxy = (unit: Unit, secrets: Secrets): ModelProxyBoot => ({
  ...common(unit),
  edges: secrets(gatewayModelProxy, modelProxyControlPlane, lifeEdge('model-proxy')),
  providers: [...unit.plan.models],
  callsRetention: unit.plan.callsRetention,
  ownAddress: `${unit.plan.host}:${unit.plan.port}`,
  outbound: unit.plan.outbound,
})

const channels = (unit: Unit, secrets: Secrets): ChannelsBoot => ({
  ...common(unit),
  edges: secrets(gatewayChannels, runnerChannels, channelsControlPlane, lifeEdge('channels')),
  channels: unit.plan.channels,
  ...(unit.plan.publicUrls[0] !== undefined && { publicUrl: unit.plan.publicUrls[0] }),
  ownAddress: `${unit.plan.host}:${unit.plan.port}`,
  outbound: unit.plan.outbound,
})

/** Absent with the process behind them. */
const runnerDoors = (unit: Pick<Unit, 'plan'>): Edge[] => [
  ...(runsContainers(unit) ? [runnerBroker] : []),
  ...(hasChannels(unit.plan.channels) ? [runnerChannels] : []),
]

/** What the half with the runner knows of the unit. */
export type RunnerUnit = Omit<Unit, 'keys' | 'token' | 'sampleCommand'> & {
  readonly keys: Pick<Subkeys, 'queues'>
  /** State directory of the other half. */
  readonly otherState?: string
}

const runner = (unit: RunnerUnit, secrets: Secrets): RunnerBoot => ({
  ...common(unit),
  edges: secrets(gatewayRunner, runnerControlPlane, runnerBackup, lifeEdge('runner'), ...runnerDoors(unit)),
  keys: { queues: unit.keys.queues },
  sandbox: unit.plan.sandbox,
  engine: unit.plan.sandboxEngine,
  runtime: unit.plan.sandboxRuntime,
  unitId: unit.unitId,
  formerUnitIds: [...unit.formerUnitIds],
  image: unit.plan.sandboxImage,
  imageKey: unit.plan.imageKey,
  allowOldEngine: unit.plan.allowOldEngine,
  rootfs: `${unit.release}/rootfs`,
  agent: `${unit.release}/agent.mjs`,
  toolContainers: runsContainers(unit)
    ? {
        ...unit.plan.toolContainers,
        mountAllow: [...unit.plan.mountAllow],
        ownPaths: [unit.plan.catalog, unit.otherState].filter((path) => typeof path === 'string'),
      }
    : null,
  identities: unit.isRoot ? identities : null,
  groupDisks: unit.plan.groupDisks,
  mountAllow: [...unit.plan.mountAllow],
  chatRetention: unit.plan.chatRetention,
  registry: unit.plan.registry,
  ownAddress: `${unit.plan.host}:${unit.plan.port}`,
  outbound: unit.plan.outbound,
})

const controlPlane = (unit: Unit, secrets: Secrets): ControlPlaneBoot => ({
  ...common(unit),
  edges: secrets(
    gatewayControlPlane,
    runnerControlPlane,
    supervisorControlPlane,
    lifeEdge('control-plane'),
    ...(unit.plan.catalog === null ? [] : [brokerControlPlane]),
    ...(unit.plan.models.length === 0 ? [] : [modelProxyControlPlane]),
    ...(hasChannels(unit.plan.channels) ? [channelsControlPlane] : []),
  ),
  host: unit.plan.host,
  port: unit.plan.port,
  publicUrls: [...unit.plan.publicUrls],
  trustedProxies: [...unit.plan.trustedProxies],
  open: unit.plan.open,
  mcp: unit.plan.catalog === null ? null : { isolation: unit.plan.isolation, pinning: unit.plan.pinning, endpoint: hasEndpoint(unit) },
  approvals: unit.plan.approvals,
  models: unit.plan.models.length > 0,
  channels: hasChannels(unit.plan.channels),
  webhooks: unit.plan.channels.webhook !== undefined,
  sandbox: unit.plan.sandbox,
  console: `${unit.release}/console`,
  rate: unit.plan.rate,
})

/** Without a catalog there is no broker, without a key no model proxy, without credentials no channels: absence rather than refusal. */
export const createRoster = (unit: Unit, secrets: Secrets): readonly Birth[] => [
  { name: 'gateway', boot: gateway(unit, secrets) },
  ...(unit.plan.catalog === null ? [] : [{ name: 'broker', boot: broker(unit, secrets) } as const]),
  ...(unit.plan.models.length === 0 ? [] : [{ name: 'model-proxy', boot: modelProxy(unit, secrets) } as const]),
  ...(unit.plan.split === null ? [{ name: 'runner', boot: runner(unit, secrets) } as const] : []),
  ...(hasChannels(unit.plan.channels) ? [{ name: 'channels', boot: channels(unit, secrets) } as const] : []),
  { name: 'control-plane', boot: controlPlane(unit, secrets) },
]

/** The processes of the runner's half of a split unit. `edges` are all sockets that lead to the runner, whether or not they are in use. */
export const createRunnerRoster = (unit: RunnerUnit, edges: Readonly<Record<string, string>>): readonly Birth[] => [
  { name: 'runner', boot: runner(unit, () => ({ ...edges })) },
]
