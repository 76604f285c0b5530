// What an image says of itself: its configuration and its manifest, as the OCI image specification names the fields.
import type { Architecture } from '../architecture.ts'
import type { Written } from '../layer/write.ts'

export interface Health {
  readonly command: readonly string[]
  /** Seconds. */
  readonly every: number
  readonly timeout: number
  readonly start: number
}

export interface ImageSettings {
  readonly user: string
  readonly env: readonly string[]
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly ports: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Docker's engine runs it; others have probes of their own. */
  readonly health: Health | null
}

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  compressedLayer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const

export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

const nanoseconds = (seconds: number): number => seconds * 1e9

const healthcheck = ({ command, every, timeout, start }: Health): object => ({
  Test: ['CMD', ...command],
  Interval: nanoseconds(every),
  Timeout: nanoseconds(timeout),
  StartPeriod: nanoseconds(start),
  Retries: 3,
})

export interface ConfigOptions {
  readonly architecture: Architecture
  /** RFC 3339. */
  readonly created: string
  readonly settings: ImageSettings
  readonly layers: readonly { readonly written: Written; readonly what: string }[]
}

export const configOf = ({ architecture, created, settings, layers }: ConfigOptions): object => ({
  created,
  architecture,
  os: 'linux',
  config: {
    User: settings.user,
    Env: settings.env,
    Entrypoint: settings.entrypoint,
    Cmd: settings.command,
    WorkingDir: '/',
    ExposedPorts: Object.fromEntries(settings.ports.map((port) => [port, {}])),
    Labels: settings.labels,
    StopSignal: 'SIGTERM',
    ...(settings.health === null ? {} : { Healthcheck: healthcheck(settings.health) }),
  },
  rootfs: { type: 'layers', diff_ids: layers.map(({ written }) => written.diffId) },
  history: layers.map(({ what }) => ({ created, created_by: 'gatehouse images', comment: what })),
})

export const manifestOf = (config: Descriptor, layers: readonly Descriptor[], annotations: Readonly<Record<string, string>>): object => ({
  schemaVersion: 2,
  mediaType: mediaTypes.manifest,
  config,
  layers,
  annotations,
})
