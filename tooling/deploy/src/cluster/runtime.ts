// A containerd of the cluster's own, which takes every image from the registry on loopback by the name that the page gives it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { networkFiles } from './network.ts'
import { registryHost, runtimeSocket, type Settings } from './place.ts'
import type { Programs } from './processes.ts'

const plugin = 'plugins."io.containerd.grpc.v1.cri"'

/** This host may not be allowed to spare a process from the killer of processes. */
const settingsOf = ({ directory }: Settings, pause: string): string => `version = 2
root = "${join(directory, 'containerd')}"
state = "/run/containerd"
[grpc]
  address = "${runtimeSocket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(directory, 'opt')}"
[${plugin}]
  sandbox_image = "${pause}"
  restrict_oom_score_adj = true
  disable_apparmor = true
[${plugin}.cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "${networkFiles(directory).devices}"
[${plugin}.registry]
  config_path = "${join(directory, 'hosts')}"
[${plugin}.containerd]
  snapshotter = "overlayfs"
[${plugin}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
`

export interface Images {
  /** Of the registry on loopback. */
  readonly registry: string
  /** By digest. */
  readonly pause: string
}

export const startRuntime = async (settings: Settings, programs: Programs, { registry, pause }: Images): Promise<void> => {
  const hosts = join(settings.directory, 'hosts', registryHost)
  await mkdir(hosts, { recursive: true })
  await writeFile(
    join(hosts, 'hosts.toml'),
    `server = "http://${registry}"\n[host."http://${registry}"]\n  capabilities = ["pull", "resolve"]\n`,
  )
  const file = join(settings.directory, 'containerd.toml')
  await writeFile(file, settingsOf(settings, pause))
  programs.start('containerd', ['--config', file])
}
