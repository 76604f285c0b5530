// Each line of the network policy, taken away or turned round, and the rule that must find it.
import { rows } from './weakenings.ts'

const policy = 'networkpolicy.yaml'
const about = '    matchLabels:\n      {{- include "gatehouse.selector" . | nindent 6 }}\n'
const types = 'policyTypes: [Ingress, Egress]'
const peer = '        - podSelector: {}\n'
const from = `    - from:\n${peer}        {{- with .Values.networkPolicy.from }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n      ports:\n`
const into = '      ports:\n        - port: http\n          protocol: TCP\n'
const names = '      ports:\n        - { port: 53, protocol: UDP }\n        - { port: 53, protocol: TCP }\n'
const nodes = 'cidr: 169.254.20.10/32'
const https = '      ports:\n        - { port: 443, protocol: TCP }\n'
const all = '        - namespaceSelector: {}\n'
const four = '            except: [10.0.0.0/8, 100.64.0.0/10, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16]\n'
const six = '            except: [fc00::/7, fe80::/10]\n'

const without = (list: string, network: string): string => list.replace(new RegExp(`${network}(, )?|, ${network}`), '').replace(', ]', ']')

export const networkWeakenings = rows([
  ['policyHolds', policy, about, '    matchLabels: { app: other }\n'],
  ['policyHolds', policy, types, 'policyTypes: [Ingress]'],
  ['policyHolds', policy, types, 'policyTypes: [Egress]'],
  ['peersOfIngress', policy, peer, '        - ipBlock: { cidr: 0.0.0.0/0 }\n'],
  ['peersOfIngress', policy, peer, '        - podSelector: {}\n          namespaceSelector: {}\n'],
  ['peersOfIngress', policy, from, '    - ports:\n'],
  ['portsOfIngress', policy, into, ''],
  ['portsOfIngress', policy, into, `${into}        - port: 9229\n          protocol: TCP\n`],
  ['reachedFromUnit', policy, names, ''],
  ['reachedFromUnit', policy, names, `${names}        - { port: 443, protocol: TCP }\n`],
  ['reachedFromUnit', policy, nodes, 'cidr: 169.254.0.0/16'],
  ['reachedFromUnit', policy, https, ''],
  ['reachedFromUnit', policy, https, `${https}        - { port: 80, protocol: TCP }\n`],
  ['reachedFromUnit', policy, all, '        - ipBlock: { cidr: 10.0.0.0/8 }\n'],
  ['reachedFromUnit', policy, four, ''],
  ...['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'].map(
    (network) => ['reachedFromUnit', policy, four, without(four, network)] as const,
  ),
  ['reachedFromUnit', policy, six, ''],
  ...['fc00::/7', 'fe80::/10'].map((network) => ['reachedFromUnit', policy, six, without(six, network)] as const),
])
