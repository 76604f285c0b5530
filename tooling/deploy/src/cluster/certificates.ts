// The authority of the cluster, and a certificate for each who speaks in it.
import { mkdir, writeFile } from 'node:fs/promises'
import { execa } from 'execa'
import { kubeconfig, nodeAddress, nodeName, pki, server, type Settings, serviceNetwork } from './place.ts'

const openssl = (...args: readonly string[]) => execa('openssl', args)
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc']

/** Common name, and the groups that it speaks for. */
const people: Readonly<Record<string, readonly [string, string]>> = {
  admin: ['admin', 'system:masters'],
  dns: ['dns', 'system:masters'],
  kubelet: [`system:node:${nodeName}`, 'system:nodes'],
  manager: ['system:kube-controller-manager', 'system:kube-controller-manager'],
  proxy: ['system:kube-proxy', 'system:node-proxier'],
  scheduler: ['system:kube-scheduler', 'system:kube-scheduler'],
  server: ['kube-apiserver', 'system:masters'],
}

const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
const alternatives = [
  ...names.map((name) => `DNS:${name}`),
  ...['127.0.0.1', nodeAddress, serviceNetwork.apiServer].map((address) => `IP:${address}`),
].join(',')

const issue = async (settings: Settings, who: string, subject: readonly [string, string]): Promise<void> => {
  const [name, group] = subject
  const [request, extensions] = [pki(settings, `${who}.csr`), pki(settings, `${who}.ext`)]
  await openssl('req', '-new', ...key, '-keyout', pki(settings, `${who}.key`), '-out', request, '-subj', `/O=${group}/CN=${name}`)
  await writeFile(extensions, `subjectAltName=${alternatives}\nextendedKeyUsage=clientAuth,serverAuth\n`)
  const authority = ['-CA', pki(settings, 'ca.crt'), '-CAkey', pki(settings, 'ca.key'), '-CAcreateserial', '-days', '2']
  await openssl('x509', '-req', '-in', request, ...authority, '-extfile', extensions, '-out', pki(settings, `${who}.crt`))
}

const writeKubeconfig = (settings: Settings, who: string): Promise<void> => {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'one', cluster: { server, 'certificate-authority': pki(settings, 'ca.crt') } }],
    users: [{ name: who, user: { 'client-certificate': pki(settings, `${who}.crt`), 'client-key': pki(settings, `${who}.key`) } }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: who } }],
    'current-context': 'one',
  }
  return writeFile(kubeconfig(settings.directory, who), JSON.stringify(config), { mode: 0o600 })
}

export const issueCertificates = async (settings: Settings): Promise<void> => {
  await mkdir(pki(settings, ''), { recursive: true, mode: 0o700 })
  const authority = ['-keyout', pki(settings, 'ca.key'), '-out', pki(settings, 'ca.crt'), '-days', '2', '-subj', '/CN=cluster']
  await openssl('req', '-x509', ...key, ...authority)
  await openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', pki(settings, 'accounts.key'))
  await openssl('pkey', '-in', pki(settings, 'accounts.key'), '-pubout', '-out', pki(settings, 'accounts.pub'))
  for (const [who, subject] of Object.entries(people)) {
    await issue(settings, who, subject)
    await writeKubeconfig(settings, who)
  }
}
