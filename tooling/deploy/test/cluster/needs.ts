// What a cluster of one node needs of this host, and how to get it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lacksHelm } from '../chart/helm.ts'

const variable = 'GATEHOUSE_CLUSTER_PROGRAMS'

/** Where the programs of Kubernetes are. */
export const clusterPrograms = process.env[variable] ?? ''

const own = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy', 'coredns', 'pause']
const packages: Readonly<Record<string, string>> = {
  '/usr/bin/containerd': 'containerd',
  '/usr/sbin/runc': 'runc',
  '/usr/lib/cni/ptp': 'containernetworking-plugins',
  '/usr/sbin/iptables': 'iptables',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/age-keygen': 'age',
  '/usr/bin/curl': 'curl',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/nsenter': 'util-linux',
}

const lack = (): string | false => {
  if (process.getuid?.() !== 0) return 'needs root: to be a node of a cluster'
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on amd64: of which there are a Helm and a kubectl here'
  const missing = own.find((name) => !existsSync(join(clusterPrograms, name)))
  if (clusterPrograms === '' || missing !== undefined)
    return `needs ${missing ?? own[0]} of Kubernetes, build them with: node tooling/deploy/src/cluster/build.ts DIR, and name DIR in ${variable}`
  const [path] = Object.keys(packages).filter((file) => !existsSync(file))
  return path === undefined ? lacksHelm : `needs ${path}, install with: apt-get install -y ${packages[path]}`
}

export const lacksCluster = lack()
