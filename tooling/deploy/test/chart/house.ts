// What the design asks of the chart beyond the standard: one unit, its own uid, no account, nothing that is a sandbox.
import * as v from 'valibot'
import { network } from './network.ts'
import { containersOf, type Container, type KubernetesObject, type Pod, podsOf } from './objects.ts'

type Rule = (objects: readonly KubernetesObject[]) => string[]

const uid = 65_532

const eachPod =
  (fault: (pod: Pod) => string[]): Rule =>
  (objects) =>
    podsOf(objects).flatMap((pod) => fault(pod).map((what) => `${pod.of}: ${what}`))

const eachContainer = (fault: (container: Container) => string[]): Rule =>
  eachPod(({ spec }) => containersOf(spec).flatMap((container) => fault(container).map((what) => `${container.name}: ${what}`)))

const unit = (objects: readonly KubernetesObject[]): Pod | undefined => podsOf(objects).find(({ of }) => of.startsWith('StatefulSet '))

/** Kinds that the chart may make: no role, no second workload, nothing of the whole cluster. */
const kinds: ReadonlySet<string> = new Set([
  'ConfigMap',
  'Ingress',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'Pod',
  'PrometheusRule',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
  'StatefulSet',
])

const expect = (holds: boolean, what: string): string[] => (holds ? [] : [what])

const StatefulSpec = v.looseObject({ replicas: v.number() })
const ServiceSpec = v.looseObject({
  type: v.optional(v.string()),
  publishNotReadyAddresses: v.optional(v.boolean(), false),
  selector: v.record(v.string(), v.string()),
})
const IngressSpec = v.looseObject({
  tls: v.optional(v.array(v.looseObject({ hosts: v.array(v.string()) })), []),
  rules: v.array(v.looseObject({ host: v.optional(v.string(), '') })),
})
const ClaimSpec = v.looseObject({ resources: v.looseObject({ requests: v.looseObject({ storage: v.string() }) }) })
const Directory = v.looseObject({ emptyDir: v.looseObject({ medium: v.literal('Memory'), sizeLimit: v.string() }) })

const specsOf = <const T extends v.GenericSchema>(objects: readonly KubernetesObject[], kind: string, schema: T): v.InferOutput<T>[] =>
  objects.filter((object) => object.kind === kind).map(({ spec }) => v.parse(schema, spec))

const variable = (pod: Pod | undefined, name: string): string | undefined =>
  pod?.spec.containers[0]?.env.find((each) => each.name === name)?.value

const mountOf = (pod: Pod | undefined, path: string): string | undefined =>
  pod?.spec.containers[0]?.volumeMounts.find(({ mountPath }) => mountPath === path)?.name

const inMemory = (pod: Pod | undefined, path: string): boolean => {
  const name = mountOf(pod, path)
  return pod?.spec.volumes.some((volume) => volume.name === name && v.is(Directory, volume)) === true
}

export const house: Readonly<Record<string, Rule>> = {
  ...network,
  onlyKinds: (objects) => objects.filter(({ kind }) => !kinds.has(kind)).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  oneUnit: (objects) => specsOf(objects, 'StatefulSet', StatefulSpec).flatMap(({ replicas }) => expect(replicas === 1, `${replicas} pods`)),
  noSandbox: (objects) => [
    ...expect(unit(objects)?.spec.containers[0]?.args.join(' ') === '--sandbox off', 'the unit is not told to launch no sandbox'),
    ...podsOf(objects)
      .filter(({ labels }) => !['control-plane', 'test'].includes(labels['app.kubernetes.io/component'] ?? ''))
      .map(({ of }) => `${of} is neither the control plane nor the test`),
    ...expect(unit(objects)?.spec.containers.length === 1, 'more than one container in the pod of the unit'),
    ...specsOf(objects, 'Service', ServiceSpec).flatMap(({ selector }) =>
      expect(selector['app.kubernetes.io/component'] === 'control-plane', 'a Service leads elsewhere than to the control plane'),
    ),
  ],
  ownUid: eachPod(
    ({
      spec: {
        securityContext: { runAsUser, runAsGroup, fsGroup },
      },
    }) =>
      expect(
        runAsUser === uid && runAsGroup === uid && fsGroup === uid,
        `runs as ${runAsUser}:${runAsGroup}, its volumes are of ${fsGroup}`,
      ),
  ),
  privateState: eachPod(({ spec }) =>
    expect(spec.securityContext.fsGroupChangePolicy === 'OnRootMismatch', 'the kubelet opens the state to the group at each start'),
  ),
  readOnlyRoot: eachContainer(({ securityContext }) => expect(securityContext.readOnlyRootFilesystem === true, 'its root can be written')),
  noAccount: eachPod(({ spec }) => expect(spec.automountServiceAccountToken === false, 'is given a token of Kubernetes')),
  noServiceLinks: eachPod(({ spec }) => expect(spec.enableServiceLinks === false, 'variables of other Services become settings')),
  imageByDigest: eachContainer(({ image }) => expect(/^[^@:]+(:\d+)?[^@:]*@sha256:[0-9a-f]{64}$/.test(image), `takes ${image}`)),
  limited: eachContainer(({ resources }) => expect(resources?.limits['memory'] !== undefined, 'may take all memory of its node')),
  noSecretInPlain: eachContainer(({ env }) =>
    env
      .filter(({ name, value }) => value !== undefined && /(TOKEN|KEY|SECRET|PASSWORD)$/.test(name))
      .map(({ name }) => `${name} stands in the release`),
  ),
  probed: (objects) => {
    const [container] = unit(objects)?.spec.containers ?? []
    return [
      ...expect(container?.startupProbe?.httpGet?.path === '/healthz', 'no startup probe at /healthz'),
      ...expect(container?.livenessProbe?.httpGet?.path === '/healthz', 'no liveness probe at /healthz'),
      ...expect(container?.readinessProbe?.httpGet?.path === '/readyz', 'no readiness probe at /readyz'),
    ]
  },
  stateOnVolume: (objects) => {
    const pod = unit(objects)
    const name = mountOf(pod, '/var/lib/gatehouse')
    const claimed = pod?.spec.volumes.some((volume) => volume.name === name && 'persistentVolumeClaim' in volume) === true
    return expect(claimed && variable(pod, 'SERVICE_STATE_DIR') === '/var/lib/gatehouse/state', 'the state is not on the claim')
  },
  roomForState: (objects) =>
    specsOf(objects, 'PersistentVolumeClaim', ClaimSpec).flatMap(({ resources: { requests } }) =>
      expect(/^[1-9]\d*(Gi|Ti)$/.test(requests.storage), `a claim of ${requests.storage}`),
    ),
  claimStays: (objects) =>
    objects
      .filter(({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.annotations['helm.sh/resource-policy'] !== 'keep')
      .map(({ metadata }) => `${metadata.name} goes with the release`),
  socketsInMemory: (objects) =>
    [variable(unit(objects), 'XDG_RUNTIME_DIR') ?? '', '/tmp'].flatMap((path) =>
      expect(inMemory(unit(objects), path), `${path} is not a bounded piece of memory`),
    ),
  insideOnly: (objects) =>
    specsOf(objects, 'Service', ServiceSpec).flatMap(({ type }) => expect(type === 'ClusterIP', `a Service of type ${type}`)),
  reachedUnready: (objects) =>
    specsOf(objects, 'Service', ServiceSpec).flatMap(({ publishNotReadyAddresses }) =>
      expect(publishNotReadyAddresses, 'a unit that is not ready cannot be told to freeze, and cannot be scraped'),
    ),
  tlsAtIngress: (objects) =>
    specsOf(objects, 'Ingress', IngressSpec).flatMap(({ tls, rules }) =>
      rules
        .filter(({ host }) => host === '' || !tls.some(({ hosts }) => hosts.includes(host)))
        .map(({ host }) => `${host === '' ? 'every host' : host} is served without TLS`),
    ),
}

/** What of a rendered chart the design forbids, as `rule: what`. */
export const houseFaults = (objects: readonly KubernetesObject[]): string[] =>
  Object.entries(house).flatMap(([name, rule]) => rule(objects).map((fault) => `${name}: ${fault}`))
