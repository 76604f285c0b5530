// What the supervisor hands to a process over its inherited pipe: everything that the process knows at birth.
import * as v from 'valibot'
import { exits } from './errors.ts'
import { ChannelCredentials } from './channel-table.ts'
import { ModelProvider } from './models.ts'
import { Pinning } from './registry.ts'

const modes = ['production', 'demo', 'dev'] as const
export const Mode = v.picklist(modes)
export type Mode = v.InferOutput<typeof Mode>

const common = {
  mode: Mode,
  version: v.string(),
  /** Identity of the state; a copy of it that runs beside it has the same. */
  installation: v.string(),
  stateDir: v.string(),
  runDir: v.string(),
  /** Runtime directories of a split unit. */
  halves: v.optional(v.strictObject({ control: v.string(), runner: v.string() })),
  logLevel: v.string(),
  /** Per-boot secret of each edge that this process serves or calls, by edge name. */
  edges: v.record(v.string(), v.string()),
  /** It was ready before in this unit and has died: what an operator changed meanwhile is no reason to end. */
  restarted: v.optional(v.boolean()),
}
/** The drivers of sandboxes. */
export const sandboxDrivers = ['oci', 'container', 'bubblewrap', 'none'] as const
export type SandboxDriver = (typeof sandboxDrivers)[number]
/** What `--sandbox` may be: the first driver that works, one driver, or no sandboxes at all. */
export const sandboxSettings = ['auto', ...sandboxDrivers, 'off'] as const
export type SandboxSetting = (typeof sandboxSettings)[number]

export const containerEngines = ['docker', 'podman', 'nerdctl'] as const
export type ContainerEngine = (typeof containerEngines)[number]
const HexKey = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))

export const GatewayBoot = v.strictObject({
  ...common,
  keys: v.strictObject({
    database: HexKey,
    journal: HexKey,
    secrets: HexKey,
    /** Of the master key; 1 before the first rotation. */
    epoch: v.optional(v.number()),
    /** Of earlier epochs, the oldest first: they open what was sealed in their time, and seal nothing. */
    formerSecrets: v.optional(v.array(HexKey)),
  }),
  /** SHA-256 of the admin token; null on an open unit. */
  adminToken: v.nullable(v.string()),
  /** Path of the catalog file; null without tool servers. */
  catalog: v.nullable(v.string()),
  /** Providers of models that are configured. */
  models: v.array(ModelProvider),
  /** First host uid and gid for sandboxes; null where the unit is not root. */
  identities: v.nullable(v.strictObject({ uid: v.number(), gid: v.number() })),
  /** Group seeded by `--dev` or `--demo`. */
  seed: v.nullable(v.string()),
  /** Whether clients outside of a sandbox may be let in. */
  mcpEndpoint: v.optional(v.boolean()),
  pinning: Pinning,
  /** Different principals that must approve a change. */
  approvals: v.picklist([1, 2]),
  /** Milliseconds until a held change expires. */
  changeTtl: v.number(),
  /** Host paths below which a mount may lie. */
  mountAllow: v.array(v.string()),
  /** Start command of the sample tool server, written into a new catalog of `--dev`. */
  sample: v.nullable(v.strictObject({ command: v.string(), args: v.array(v.string()), image: v.optional(v.string()) })),
})
export type GatewayBoot = v.InferOutput<typeof GatewayBoot>

/** How the unit reaches the world outside of it. */
export const OutboundSettings = v.strictObject({
  /** Url of the proxy that dials for the unit; it may hold a password. */
  proxy: v.nullable(v.string()),
  /** Hosts, domains and networks that are dialled without it. */
  noProxy: v.array(v.string()),
  /** PEM of authorities that are trusted besides those of Node. */
  authorities: v.nullable(v.string()),
})
export type OutboundSettings = v.InferOutput<typeof OutboundSettings>

export const BrokerBoot = v.strictObject({
  ...common,
  isolation: v.picklist(['container', 'none']),
  /** Host variables that the catalog may reference, with their values. */
  variables: v.record(v.string(), v.string()),
  /** Lists and calls of a session are counted by the minute. */
  isRated: v.boolean(),
  /** Milliseconds that records of calls are kept. */
  callsRetention: v.number(),
  /** The unit's own admin address: never dialled. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
  /** Whether clients outside of a sandbox are served. */
  mcpEndpoint: v.optional(v.boolean()),
})
export type BrokerBoot = v.InferOutput<typeof BrokerBoot>

export const ModelProxyBoot = v.strictObject({
  ...common,
  providers: v.pipe(
    v.array(
      v.strictObject({
        name: ModelProvider,
        /** Null for a server that wants none. */
        key: v.nullable(v.string()),
        /** For `compatible` alone: the others have an address of their own. */
        baseUrl: v.optional(v.string()),
      }),
    ),
    v.minLength(1),
  ),
  /** Milliseconds that records of requests are kept. */
  callsRetention: v.number(),
  /** The unit's own admin address: never dialled. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
})
export type ModelProxyBoot = v.InferOutput<typeof ModelProxyBoot>

export const ChannelsBoot = v.strictObject({
  ...common,
  channels: ChannelCredentials,
  /** Where people reach the console; absent where only the operator knows. */
  publicUrl: v.optional(v.string()),
  /** The unit's own admin address: never dialled. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
})
export type ChannelsBoot = v.InferOutput<typeof ChannelsBoot>

export const RunnerBoot = v.strictObject({
  ...common,
  keys: v.strictObject({ queues: HexKey }),
  sandbox: v.picklist(sandboxSettings),
  /** Container engine of the sandboxes; null: the first that works. */
  engine: v.nullable(v.picklist(containerEngines)),
  /** OCI runtime name given to the container engine. */
  runtime: v.nullable(v.string()),
  /** Marks what this unit makes outside of its state directory. */
  unitId: v.string(),
  /** Ended units that held the runtime directory before. */
  formerUnitIds: v.array(v.string()),
  /** Accepts releases of engines that are older than the oldest that is trusted. */
  allowOldEngine: v.boolean(),
  /** Image of the sandboxes; null: `rootfs`. */
  image: v.nullable(v.string()),
  /** PEM of the key that must have signed `image`; null: it is not verified. */
  imageKey: v.nullable(v.string()),
  rootfs: v.string(),
  agent: v.string(),
  /** How local tool servers run in containers; null where they do not. */
  toolContainers: v.nullable(
    v.strictObject({
      /** Null: the first that works. */
      engine: v.nullable(v.picklist(containerEngines)),
      runtime: v.nullable(v.string()),
      /** For entries that name no image. */
      image: v.nullable(v.string()),
      /** Host paths below which a volume may lie. */
      mountAllow: v.array(v.string()),
      /** Where the unit keeps what is its own: no volume may lead there. */
      ownPaths: v.array(v.string()),
    }),
  ),
  /** First host uid and gid for sandboxes, which no session has; null where the unit is not root. */
  identities: v.nullable(v.strictObject({ uid: v.number(), gid: v.number() })),
  /** Where root made disks for groups; null: the unit makes them itself. */
  groupDisks: v.nullable(v.string()),
  /** Host paths below which a mount may lie. */
  mountAllow: v.array(v.string()),
  /** Milliseconds that messages are kept; absent: for ever. */
  chatRetention: v.optional(v.number()),
  /** Where packages come from. */
  registry: v.string(),
  /** The unit's own admin address: never dialled. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
})
export type RunnerBoot = v.InferOutput<typeof RunnerBoot>

export const ControlPlaneBoot = v.strictObject({
  ...common,
  host: v.string(),
  port: v.number(),
  publicUrls: v.array(v.string()),
  /** CIDRs of proxies whose X-Forwarded-For is believed. */
  trustedProxies: v.array(v.string()),
  open: v.boolean(),
  mcp: v.nullable(
    v.strictObject({
      isolation: v.picklist(['container', 'none']),
      pinning: Pinning,
      /** Whether clients outside of a sandbox are served at `/mcp`. */
      endpoint: v.optional(v.boolean()),
    }),
  ),
  approvals: v.picklist([1, 2]),
  /** Whether there is a model proxy. */
  models: v.boolean(),
  /** Whether there is a process for channels. */
  channels: v.optional(v.boolean(), false),
  /** Whether it takes webhooks. */
  webhooks: v.optional(v.boolean(), false),
  sandbox: v.string(),
  console: v.string(),
  rate: v.nullable(v.strictObject({ perSecond: v.number(), burst: v.number() })),
})
export type ControlPlaneBoot = v.InferOutput<typeof ControlPlaneBoot>

/** All that the half with the runner is given by the other. */
export const RunnerCredential = v.strictObject({
  installation: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  /** The group that both halves have in common. */
  gid: v.number(),
  /** State directory of the other half: no volume may lead there. */
  stateDir: v.string(),
  queues: HexKey,
  edges: v.record(v.string(), HexKey),
})
export type RunnerCredential = v.InferOutput<typeof RunnerCredential>

/** Lines that a process sends back over the pipe. */
export const FromChild = v.variant('type', [
  v.strictObject({ type: v.literal('ready') }),
  /** A secret learnt after boot: redacted from then on. */
  v.strictObject({ type: v.literal('secret'), value: v.string() }),
  /** Why the process cannot start, with the exit code that the unit then takes. */
  v.strictObject({ type: v.literal('refuse'), exit: v.picklist(Object.values(exits)), detail: v.string(), hint: v.optional(v.string()) }),
])
export type FromChild = v.InferOutput<typeof FromChild>
