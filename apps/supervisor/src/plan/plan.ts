// A plan is everything that a start decided: what the unit is, before anything of it runs.
import type {
  ChannelCredentials,
  ContainerEngine,
  Halves,
  Mode,
  ModelProxyBoot,
  OutboundSettings,
  Pinning,
  SandboxSetting,
} from '@gatehouse/contracts'

export interface Plan {
  readonly mode: Mode
  readonly version: string
  readonly host: string
  readonly port: number
  readonly stateDir: string
  /** Half of a split unit that this is, and where the two meet; null: the whole unit. */
  readonly split: { readonly only: 'control' | 'runner'; readonly halves: Halves } | null
  readonly logLevel: string
  readonly logFormat: 'json' | 'plain'
  /** Path of the catalog file; null: no tool-server surface. */
  readonly catalog: string | null
  readonly isolation: 'container' | 'none'
  /** What runs local tool servers in containers. */
  readonly toolContainers: {
    /** Null: the first that works. */
    readonly engine: ContainerEngine | null
    readonly runtime: string | null
    /** For entries that name no image. */
    readonly image: string | null
  }
  readonly pinning: Pinning
  /** Whether clients outside of a sandbox are served at `/mcp`, where there is a catalog. */
  readonly mcpEndpoint: boolean
  /** Different principals that must approve a change. */
  readonly approvals: 1 | 2
  /** Milliseconds until a held change expires. */
  readonly changeTtl: number
  /** Host paths below which a mount may lie. */
  readonly mountAllow: readonly string[]
  readonly sandbox: SandboxSetting
  /** What runs sandboxes in containers; null: the first that works. */
  readonly sandboxEngine: ContainerEngine | null
  readonly sandboxRuntime: string | null
  /** Image of the sandbox; null: the root file system of this release. */
  readonly sandboxImage: string | null
  /** PEM of the key that must have signed it; null: it is not verified. */
  readonly imageKey: string | null
  readonly allowOldEngine: boolean
  /** Where `gatehouse setup` made disks for groups; null: the unit makes them itself. */
  readonly groupDisks: string | null
  readonly seed: string | null
  /** Milliseconds that records of tool calls are kept. */
  readonly callsRetention: number
  /** Milliseconds that messages are kept. */
  readonly chatRetention: number
  readonly rate: { readonly perSecond: number; readonly burst: number } | null
  readonly publicUrls: readonly string[]
  /** CIDRs of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Host variables that the catalog may reference. */
  readonly variables: Readonly<Record<string, string>>
  /** Where packages come from. */
  readonly registry: string
  readonly outbound: OutboundSettings
  /** Providers of models that can be asked; none: there is no model proxy. */
  readonly models: ModelProxyBoot['providers']
  /** Credentials of channels; none: there is no process for them. */
  readonly channels: ChannelCredentials
  /** Given by the operator; otherwise the unit mints or reads its own. */
  readonly token: string | null
  /** True if no token is required. */
  readonly open: boolean
  readonly masterKeyFile: string | null
}
