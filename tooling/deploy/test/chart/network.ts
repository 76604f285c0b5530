// What the design asks of the network policy: who reaches the unit, and that it reaches neither private networks nor the metadata of a
// cloud. It looks at what the sets of values render, whose own peers are namespaces.
import * as v from 'valibot'
import { type KubernetesObject, podsOf } from './objects.ts'

const Selector = v.looseObject({ matchLabels: v.optional(v.record(v.string(), v.string()), {}) })
const Block = v.looseObject({ cidr: v.string(), except: v.optional(v.array(v.string()), []) })
const Peer = v.strictObject({ podSelector: v.optional(Selector), namespaceSelector: v.optional(Selector), ipBlock: v.optional(Block) })
const Port = v.strictObject({ port: v.union([v.string(), v.number()]), protocol: v.optional(v.string(), 'TCP') })
const ports = v.optional(v.array(Port), [])
const Policy = v.strictObject({
  podSelector: Selector,
  policyTypes: v.array(v.string()),
  ingress: v.array(v.strictObject({ from: v.optional(v.array(Peer), []), ports })),
  egress: v.array(v.strictObject({ to: v.optional(v.array(Peer), []), ports })),
})
type Peer = v.InferOutput<typeof Peer>
type Port = v.InferOutput<typeof Port>

type Rule = (objects: readonly KubernetesObject[]) => string[]

const eachPolicy =
  (fault: (policy: v.InferOutput<typeof Policy>, objects: readonly KubernetesObject[]) => string[]): Rule =>
  (objects) =>
    objects.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ spec }) => fault(v.parse(Policy, spec), objects))

const told = (list: readonly Port[]): string => list.map(({ port, protocol }) => `${port}/${protocol}`).join(' ')

/** A selector without labels is every namespace of the cluster. */
const isEvery = ({ namespaceSelector }: Peer): boolean =>
  namespaceSelector !== undefined && Object.keys(namespaceSelector.matchLabels).length === 0

/** Networks that https to the outside leaves out: private ones, those of carriers, and link-local ones with the metadata of clouds. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  '::/0': ['fc00::/7', 'fe80::/10'],
}
const nodeNames = '169.254.20.10/32'

/** The ports at which a peer may be reached; a namespace with a name at any that are named. */
const allowed = (peer: Peer): RegExp => {
  if (isEvery(peer) || peer.ipBlock?.cidr === nodeNames) return /^53\/UDP 53\/TCP$/
  return peer.ipBlock === undefined ? /./ : /^443\/TCP$/
}

const reached = (peer: Peer, open: string): string[] => {
  const { cidr, except } = peer.ipBlock ?? { cidr: isEvery(peer) ? 'every namespace' : 'a namespace', except: [] }
  return [
    ...(allowed(peer).test(open) ? [] : [`${cidr} is reached at ${open === '' ? 'every port' : open}`]),
    ...(leftOut[cidr] ?? []).filter((network) => !except.includes(network)).map((network) => `${cidr} is reached with ${network}`),
    ...(peer.ipBlock === undefined || cidr === nodeNames || cidr in leftOut ? [] : [`${cidr} is reached`]),
  ]
}

export const network: Readonly<Record<string, Rule>> = {
  policyHolds: eachPolicy(({ podSelector: { matchLabels }, policyTypes }, objects) => {
    const unit = podsOf(objects).find(({ of }) => of.startsWith('StatefulSet '))
    const labels = Object.entries(matchLabels)
    return [
      ...(labels.length > 0 && labels.every(([name, value]) => unit?.labels[name] === value) ? [] : ['it is not about the unit']),
      ...['Ingress', 'Egress'].filter((type) => !policyTypes.includes(type)).map((type) => `${type} is open`),
    ]
  }),
  peersOfIngress: eachPolicy(({ ingress }) =>
    ingress.flatMap(({ from }) => [
      ...(from.length === 0 ? ['everybody reaches the unit'] : []),
      ...from.filter(isEvery).map(() => 'every namespace reaches the unit'),
      ...from.flatMap(({ ipBlock }) => ipBlock ?? []).map(({ cidr }) => `${cidr} reaches the unit`),
    ]),
  ),
  portsOfIngress: eachPolicy(({ ingress }) =>
    ingress.flatMap((rule) => (told(rule.ports) === 'http/TCP' ? [] : [`the unit is reached at ${told(rule.ports) || 'every port'}`])),
  ),
  reachedFromUnit: eachPolicy(({ egress }) =>
    egress.flatMap(({ to, ports: open }) => (to.length === 0 ? ['it goes everywhere'] : to.flatMap((peer) => reached(peer, told(open))))),
  ),
}
