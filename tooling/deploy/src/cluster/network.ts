// The network of the node: an address of its own, and a pair of devices for each pod. Nothing leads out of it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { kubeconfig, nodeAddress, podNetwork, type Settings } from './place.ts'

const ip = (line: string) => execa('ip', line.split(' '))

/** Kubelet wants a way out, if only to find its own address; this one ends at the device's other half. */
export const openNetwork = async (): Promise<void> => {
  await ip('link set lo up')
  await ip('link add node0 type veth peer name node1')
  await ip('link set node0 up')
  await ip('link set node1 up')
  await ip(`address add ${nodeAddress}/24 dev node0`)
  await ip('route add default via 10.99.0.254 dev node0')
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1')
}

const podDevices = (directory: string) => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: podNetwork }]],
        routes: [{ dst: '0.0.0.0/0' }],
        dataDir: join(directory, 'addresses'),
      },
    },
  ],
})

/** By the real plugin; it knows the Services and pods of the cluster alone. */
const names = (directory: string): string => `cluster.local:53 {
  errors
  kubernetes cluster.local {
    kubeconfig ${kubeconfig(directory, 'dns')}
  }
}
`

const services = (directory: string) => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'iptables',
  clusterCIDR: podNetwork,
  oomScoreAdj: 0,
  // The table of connections is the host's.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  clientConnection: { kubeconfig: kubeconfig(directory, 'proxy') },
})

export const networkFiles = (directory: string) => ({
  devices: join(directory, 'cni'),
  names: join(directory, 'Corefile'),
  services: join(directory, 'proxy.json'),
})

export const writeNetwork = async ({ directory }: Settings): Promise<void> => {
  const files = networkFiles(directory)
  await mkdir(files.devices)
  await writeFile(join(files.devices, 'pods.conflist'), JSON.stringify(podDevices(directory)))
  await writeFile(files.names, names(directory))
  await writeFile(files.services, JSON.stringify(services(directory)))
}
