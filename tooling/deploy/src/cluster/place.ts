// Where a cluster of one node keeps its things, and what is named alike in all of its parts. Its network is its own: ports and addresses are fixed.
import { join } from 'node:path'

/** Of the node, which is in a network of its own. */
export const nodeAddress = '10.99.0.1'
export const nodeName = 'node'
export const server = 'https://127.0.0.1:6443'
export const serviceNetwork = { cidr: '10.98.0.0/24', apiServer: '10.98.0.1' }
export const podNetwork = '10.97.0.0/24'
export const runtimeSocket = '/run/containerd/containerd.sock'
export const registryHost = 'registry.example.com'

export interface Settings {
  /** Removed by whoever made it. */
  readonly directory: string
  /** Where the programs of Kubernetes are. */
  readonly programs: string
  /** Below each hierarchy of the host; made and removed by whoever starts the node. */
  readonly cgroup: string
}

export const pki = ({ directory }: Settings, name: string): string => join(directory, 'pki', name)
export const kubeconfig = (directory: string, who: string): string => join(directory, `${who}.kubeconfig`)
