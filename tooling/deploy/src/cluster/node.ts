// What runs on the node: the kubelet, the proxy of Services, and the name server.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { networkFiles } from './network.ts'
import { kubeconfig, nodeAddress, nodeName, pki, runtimeSocket, type Settings } from './place.ts'
import type { Programs } from './processes.ts'

const kubelet = (settings: Settings) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: pki(settings, 'ca.crt') } },
  authorization: { mode: 'Webhook' },
  clusterDNS: [nodeAddress],
  clusterDomain: 'cluster.local',
  containerRuntimeEndpoint: `unix://${runtimeSocket}`,
  podLogsDir: join(settings.directory, 'pods'),
  cgroupDriver: 'cgroupfs',
  cgroupRoot: settings.cgroup,
  failSwapOn: false,
  oomScoreAdj: 0,
  // The disk is the host's: how full it is is no concern of a trial.
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'nodefs.inodesFree': '1%', 'imagefs.available': '1%' },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
})

export const startNode = async (settings: Settings, programs: Programs): Promise<void> => {
  const { directory } = settings
  const start = (name: string, flags: readonly string[]): void => programs.start(join(settings.programs, name), flags)
  const config = join(directory, 'kubelet.json')
  await writeFile(config, JSON.stringify(kubelet(settings)))
  start('kubelet', [
    `--config=${config}`,
    `--kubeconfig=${kubeconfig(directory, 'kubelet')}`,
    `--root-dir=${join(directory, 'kubelet')}`,
    `--cert-dir=${join(directory, 'kubelet-pki')}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
  ])
  const files = networkFiles(directory)
  start('kube-proxy', [`--config=${files.services}`, `--hostname-override=${nodeName}`])
  start('coredns', ['-conf', files.names])
}
