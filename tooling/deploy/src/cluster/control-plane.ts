// etcd, and what of Kubernetes stands above a node.
import { join } from 'node:path'
import { execa } from 'execa'
import { kubeconfig, nodeAddress, pki, server, type Settings, serviceNetwork } from './place.ts'
import type { Programs } from './processes.ts'

const etcd = 'http://127.0.0.1:2379'

const etcdFlags = ({ directory }: Settings): string[] => [
  `--data-dir=${join(directory, 'etcd')}`,
  '--unsafe-no-fsync',
  '--log-level=warn',
  `--listen-client-urls=${etcd}`,
  `--advertise-client-urls=${etcd}`,
]

const serverFlags = (settings: Settings): string[] => [
  `--etcd-servers=${etcd}`,
  `--advertise-address=${nodeAddress}`,
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  `--service-cluster-ip-range=${serviceNetwork.cidr}`,
  `--client-ca-file=${pki(settings, 'ca.crt')}`,
  `--tls-cert-file=${pki(settings, 'server.crt')}`,
  `--tls-private-key-file=${pki(settings, 'server.key')}`,
  `--kubelet-client-certificate=${pki(settings, 'server.crt')}`,
  `--kubelet-client-key=${pki(settings, 'server.key')}`,
  '--kubelet-preferred-address-types=InternalIP',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${pki(settings, 'accounts.pub')}`,
  `--service-account-signing-key-file=${pki(settings, 'accounts.key')}`,
]

const managerFlags = (settings: Settings): string[] => [
  `--kubeconfig=${kubeconfig(settings.directory, 'manager')}`,
  '--leader-elect=false',
  '--use-service-account-credentials',
  `--root-ca-file=${pki(settings, 'ca.crt')}`,
  `--service-account-private-key-file=${pki(settings, 'accounts.key')}`,
]

const answersAt = (settings: Settings, path: string) => async (): Promise<boolean> => {
  const who = ['--cert', pki(settings, 'admin.crt'), '--key', pki(settings, 'admin.key'), '--cacert', pki(settings, 'ca.crt')]
  return (await execa('curl', ['--silent', '--fail', ...who, `${server}${path}`])).stdout !== ''
}

export const startControlPlane = async (settings: Settings, programs: Programs): Promise<void> => {
  const start = (name: string, flags: readonly string[]): void => programs.start(join(settings.programs, name), flags)
  start('etcd', etcdFlags(settings))
  start('kube-apiserver', serverFlags(settings))
  await programs.until('the API server', answersAt(settings, '/readyz'))
  start('kube-controller-manager', managerFlags(settings))
  start('kube-scheduler', [`--kubeconfig=${kubeconfig(settings.directory, 'scheduler')}`, '--leader-elect=false'])
  await programs.until('the account of each namespace', answersAt(settings, '/api/v1/namespaces/default/serviceaccounts/default'))
}
