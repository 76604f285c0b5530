// How containers of the images start, and the labels that say what they are.
import { owner, runtimeDirectory, stateDirectory } from './contents/control-plane.ts'
import type { ImageName } from './names.ts'
import type { ImageSettings } from './oci/image.ts'

export interface LabelOptions {
  readonly version: string
  /** Of the source; null where it is not said. */
  readonly revision: string | null
  readonly source: string | null
}

const titles: Readonly<Record<ImageName, readonly [title: string, description: string]>> = {
  'control-plane': ['Gatehouse', 'Control plane of Gatehouse: API, gateway and console, without sandboxes'],
  sandbox: ['Gatehouse sandbox', 'Root file system that the sandboxes of Gatehouse run in'],
}

export const labelsOf = (name: ImageName, { version, revision, source }: LabelOptions): Readonly<Record<string, string>> => {
  const [title, description] = titles[name]
  const key = (suffix: string): string => `org.opencontainers.image.${suffix}`
  return {
    [key('title')]: title,
    [key('description')]: description,
    [key('licenses')]: 'Apache-2.0',
    [key('version')]: version,
    ...(revision === null ? {} : { [key('revision')]: revision }),
    ...(source === null ? {} : { [key('source')]: source }),
  }
}

/** Listens on loopback until it is told otherwise: nothing is served by accident. */
export const controlPlaneSettings = (labels: ImageSettings['labels']): ImageSettings => ({
  user: `${owner}:${owner}`,
  env: [
    'PATH=/bin',
    'HOME=/',
    'SERVICE_SANDBOX=off',
    `SERVICE_STATE_DIR=${stateDirectory}`,
    'SERVICE_LOG_FORMAT=json',
    `XDG_RUNTIME_DIR=${runtimeDirectory}`,
  ],
  entrypoint: ['/bin/gatehouse'],
  command: [],
  ports: ['8787/tcp'],
  labels,
  health: { command: ['/bin/healthy'], every: 5, timeout: 5, start: 30 },
})

export const sandboxSettings = (labels: ImageSettings['labels']): ImageSettings => ({
  user: `${owner}:${owner}`,
  env: ['PATH=/bin'],
  entrypoint: [],
  command: ['/bin/node', '/agent/agent.mjs'],
  ports: [],
  labels,
  health: null,
})
