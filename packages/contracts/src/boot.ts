// The configuration that the supervisor sends to a process over its inherited pipe when it starts.
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
  /** Identity of the state. A copy of the state directory has the same one. */
  installation: v.string(),
  stateDir: v.string(),
  runDir: v.string(),
  /** Runtime directories of a split unit. */
  halves: v.optional(v.strictObject({ control: v.string(), runner: v.string() })),
  logLevel: v.string(),
  /** Per-boot secret of each edge that this process serves or calls, by edge name. */
  edges: v.record(v.string(), v.string()),
  /** Whether the process was ready before and is restarted. A configuration that became invalid is then not a reason to exit. */
  restarted: v.optional(v.boolean()),
}
/** The drivers of sandboxes. */
export const sandboxDrivers = ['oci', 'container', 'bubblewrap', 'none'] as const
export type SandboxDriver = (typeof sandboxDrivers)[number]
/** Values of `--sandbox`: the first driver that works, a specific driver, or no sandboxes. */
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
    /** Epoch of the master key; 1 before the first rotation. */
    epoch: v.optional(v.number()),
    /** Keys of earlier epochs, oldest first. They decrypt old values and encrypt nothing. */
    formerSecrets: v.optional(v.array(HexKey)),
  }),
  /** SHA-256 of the admin token; null on an open unit. */
  adminToken: v.nullable(v.string()),
  /** Path of the catalog file; null without tool servers. */
  catalog: v.nullable(v.string()),
  /** The configured model providers. */
  models: v.array(ModelProvider),
  /** First host uid and gid for sandboxes; null if the unit does not run as root. */
  identities: v.nullable(v.strictObject({ uid: v.number(), gid: v.number() })),
  /** Group seeded by `--dev` or `--demo`. */
  seed: v.nullable(v.string()),
  /** Whether external MCP clients are allowed. */
  mcpEndpoint: v.optional(v.boolean()),
  pinning: Pinning,
  /** Number of people who must approve a change. */
  approvals: v.picklist([1, 2]),
  /** Milliseconds until a held change expires. */
  changeTtl: v.number(),
  /** Host paths below which mounts are allowed. */
  mountAllow: v.array(v.string()),
  /** Start command of the sample tool server, written into a new catalog of `--dev`. */
  sample: v.nullable(v.strictObject({ command: v.string(), args: v.array(v.string()), image: v.optional(v.string()) })),
})
export type GatewayBoot = v.InferOutput<typeof GatewayBoot>

/** Settings for outbound connections. */
export const OutboundSettings = v.strictObject({
  /** URL of the proxy for outbound connections. It may contain a password. */
  proxy: v.nullable(v.string()),
  /** Hosts, domains and networks that are reached without the proxy. */
  noProxy: v.array(v.string()),
  /** PEM of certificate authorities to trust in addition to those of Node.js. */
  authorities: v.nullable(v.string()),
})
export type OutboundSettings = v.InferOutput<typeof OutboundSettings>

export const BrokerBoot = v.strictObject({
  ...common,
  keys: v.strictObject({
    /** Seals the logins at remote tool servers. */
    logins: HexKey,
    /** Of earlier epochs, the oldest first: they open what was sealed in their time. */
    formerLogins: v.array(HexKey),
  }),
  isolation: v.picklist(['container', 'none']),
  /** Host variables that the catalog may reference, with their values. */
  variables: v.record(v.string(), v.string()),
  /** Whether the rate of lists and calls of a session is limited. */
  isRated: v.boolean(),
  /** Retention of call records in milliseconds. */
  callsRetention: v.number(),
  /** The unit's own admin address. Connections to it are refused. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
  /** Whether external MCP clients are served. */
  mcpEndpoint: v.optional(v.boolean()),
})
export type BrokerBoot = v.InferOutput<typeof BrokerBoot>

export const ModelProxyBoot = v.strictObject({
  ...common,
  providers: v.pipe(
    v.array(
      v.strictObject({
        name: ModelProvider,
        /** Null for a server that needs no key. */
        key: v.nullable(v.string()),
        /** Only for `compatible`: the others have fixed addresses. */
        baseUrl: v.optional(v.string()),
      }),
    ),
    v.minLength(1),
  ),
  /** Retention of request records in milliseconds. */
  callsRetention: v.number(),
  /** The unit's own admin address. Connections to it are refused. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
})
export type ModelProxyBoot = v.InferOutput<typeof ModelProxyBoot>

export const ChannelsBoot = v.strictObject({
  ...common,
  channels: ChannelCredentials,
  /** Public URL of the console; absent if it is not configured. */
  publicUrl: v.optional(v.string()),
  /** The unit's own admin address. Connections to it are refused. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
})
export type ChannelsBoot = v.InferOutput<typeof ChannelsBoot>

export const RunnerBoot = v.strictObject({
  ...common,
  keys: v.strictObject({ queues: HexKey }),
  sandbox: v.picklist(sandboxSettings),
  /** Container engine of the sandboxes; null for the first one that works. */
  engine: v.nullable(v.picklist(containerEngines)),
  /** OCI runtime that the container engine uses. */
  runtime: v.nullable(v.string()),
  /** Label of everything that this unit creates outside its state directory. */
  unitId: v.string(),
  /** Labels of earlier units that used the runtime directory. */
  formerUnitIds: v.array(v.string()),
  /** Accepts engine releases that are older than the minimum release. */
  allowOldEngine: v.boolean(),
  /** Image of the sandboxes; null to use `rootfs`. */
  image: v.nullable(v.string()),
  /** PEM of the key that must have signed `image`; null to skip verification. */
  imageKey: v.nullable(v.string()),
  rootfs: v.string(),
  agent: v.string(),
  /** Settings for local tool servers in containers; null if they do not run in containers. */
  toolContainers: v.nullable(
    v.strictObject({
      /** Null for the first one that works. */
      engine: v.nullable(v.picklist(containerEngines)),
      runtime: v.nullable(v.string()),
      /** Default image for entries without one. */
      image: v.nullable(v.string()),
      /** Host paths below which volumes are allowed. */
      mountAllow: v.array(v.string()),
      /** Paths of the unit's own files. Volumes may not overlap them. */
      ownPaths: v.array(v.string()),
    }),
  ),
  /** First host uid and gid for sandboxes, which no session uses; null if the unit does not run as root. */
  identities: v.nullable(v.strictObject({ uid: v.number(), gid: v.number() })),
  /** Directory of group disks that root created in advance; null if the unit creates them. */
  groupDisks: v.nullable(v.string()),
  /** Host paths below which mounts are allowed. */
  mountAllow: v.array(v.string()),
  /** Retention of chat messages in milliseconds; absent to keep them forever. */
  chatRetention: v.optional(v.number()),
  /** URL of the package registry. */
  registry: v.string(),
  /** The unit's own admin address. Connections to it are refused. */
  ownAddress: v.string(),
  outbound: OutboundSettings,
})
export type RunnerBoot = v.InferOutput<typeof RunnerBoot>

export const ControlPlaneBoot = v.strictObject({
  ...common,
  host: v.string(),
  port: v.number(),
  publicUrls: v.array(v.string()),
  /** CIDRs of proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: v.array(v.string()),
  open: v.boolean(),
  mcp: v.nullable(
    v.strictObject({
      isolation: v.picklist(['container', 'none']),
      pinning: Pinning,
      /** Whether external MCP clients are served at `/mcp`. */
      endpoint: v.optional(v.boolean()),
    }),
  ),
  approvals: v.picklist([1, 2]),
  /** Whether the unit has a model proxy. */
  models: v.boolean(),
  /** Whether the unit has a channels process. */
  channels: v.optional(v.boolean(), false),
  /** Whether it accepts webhooks. */
  webhooks: v.optional(v.boolean(), false),
  sandbox: v.string(),
  console: v.string(),
  rate: v.nullable(v.strictObject({ perSecond: v.number(), burst: v.number() })),
})
export type ControlPlaneBoot = v.InferOutput<typeof ControlPlaneBoot>

/** The credentials of the runner's half of a split unit. */
export const RunnerCredential = v.strictObject({
  installation: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  /** The group id that both halves share. */
  gid: v.number(),
  /** State directory of the other half. Volumes may not overlap it. */
  stateDir: v.string(),
  queues: HexKey,
  edges: v.record(v.string(), HexKey),
})
export type RunnerCredential = v.InferOutput<typeof RunnerCredential>

/** Lines that a process sends back over the pipe. */
export const FromChild = v.variant('type', [
  v.strictObject({ type: v.literal('ready') }),
  /** A secret that the process learned after the start. It is redacted from logs; of short-lived ones, only the newest are kept. */
  v.strictObject({ type: v.literal('secret'), value: v.string(), shortLived: v.optional(v.literal(true)) }),
  /** The reason why the process cannot start, with the exit code of the unit. */
  v.strictObject({ type: v.literal('refuse'), exit: v.picklist(Object.values(exits)), detail: v.string(), hint: v.optional(v.string()) }),
])
export type FromChild = v.InferOutput<typeof FromChild>
