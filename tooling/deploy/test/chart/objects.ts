// What a rendered chart holds, parsed as far as the rules look at it.
import * as v from 'valibot'
import { parseAllDocuments } from 'yaml'

const Probe = v.looseObject({ httpGet: v.optional(v.looseObject({ path: v.string(), host: v.optional(v.string()) })) })

const Security = v.looseObject({
  runAsNonRoot: v.optional(v.boolean()),
  runAsUser: v.optional(v.number()),
  runAsGroup: v.optional(v.number()),
  fsGroup: v.optional(v.number()),
  fsGroupChangePolicy: v.optional(v.string()),
  supplementalGroups: v.optional(v.array(v.number())),
  privileged: v.optional(v.boolean()),
  allowPrivilegeEscalation: v.optional(v.boolean()),
  readOnlyRootFilesystem: v.optional(v.boolean()),
  procMount: v.optional(v.string()),
  capabilities: v.optional(v.looseObject({ add: v.optional(v.array(v.string()), []), drop: v.optional(v.array(v.string()), []) })),
  seccompProfile: v.optional(v.looseObject({ type: v.string() })),
  appArmorProfile: v.optional(v.looseObject({ type: v.string() })),
  seLinuxOptions: v.optional(v.looseObject({ type: v.optional(v.string()), user: v.optional(v.string()), role: v.optional(v.string()) })),
  sysctls: v.optional(v.array(v.looseObject({ name: v.string() })), []),
  windowsOptions: v.optional(v.looseObject({ hostProcess: v.optional(v.boolean()) })),
})
export type Security = v.InferOutput<typeof Security>

const Variable = v.looseObject({ name: v.string(), value: v.optional(v.string()) })

const Container = v.looseObject({
  name: v.string(),
  image: v.string(),
  command: v.optional(v.array(v.string())),
  args: v.optional(v.array(v.string()), []),
  env: v.optional(v.array(Variable), []),
  ports: v.optional(v.array(v.looseObject({ containerPort: v.number(), hostPort: v.optional(v.number()) })), []),
  resources: v.optional(v.looseObject({ limits: v.optional(v.record(v.string(), v.union([v.string(), v.number()])), {}) })),
  volumeMounts: v.optional(v.array(v.looseObject({ name: v.string(), mountPath: v.string() })), []),
  securityContext: v.optional(Security, {}),
  startupProbe: v.optional(Probe),
  livenessProbe: v.optional(Probe),
  readinessProbe: v.optional(Probe),
  lifecycle: v.optional(v.record(v.string(), Probe), {}),
})
export type Container = v.InferOutput<typeof Container>

const Volume = v.looseObject({ name: v.string() })

const PodSpec = v.looseObject({
  serviceAccountName: v.optional(v.string()),
  automountServiceAccountToken: v.optional(v.boolean()),
  enableServiceLinks: v.optional(v.boolean()),
  hostNetwork: v.optional(v.boolean(), false),
  hostPID: v.optional(v.boolean(), false),
  hostIPC: v.optional(v.boolean(), false),
  securityContext: v.optional(Security, {}),
  containers: v.pipe(v.array(Container), v.minLength(1)),
  initContainers: v.optional(v.array(Container), []),
  ephemeralContainers: v.optional(v.array(Container), []),
  volumes: v.optional(v.array(Volume), []),
})
export type PodSpec = v.InferOutput<typeof PodSpec>

const Metadata = v.looseObject({
  name: v.string(),
  namespace: v.optional(v.string()),
  labels: v.optional(v.record(v.string(), v.string()), {}),
  annotations: v.optional(v.record(v.string(), v.string()), {}),
})

const KubernetesObject = v.looseObject({ apiVersion: v.string(), kind: v.string(), metadata: Metadata, spec: v.optional(v.unknown()) })
export type KubernetesObject = v.InferOutput<typeof KubernetesObject>

/** As Kubernetes reads it: in YAML 1.1 `on` is a truth. */
export const parseObjects = (rendered: string): KubernetesObject[] =>
  parseAllDocuments(rendered, { uniqueKeys: true, version: '1.1' }).flatMap((document) => {
    const [fault] = document.errors
    if (fault !== undefined) throw fault
    const object: unknown = document.toJS()
    return object === null ? [] : [v.parse(KubernetesObject, object)]
  })

const Template = v.looseObject({
  template: v.looseObject({
    metadata: v.looseObject({ labels: v.record(v.string(), v.string()), annotations: v.optional(v.record(v.string(), v.string()), {}) }),
    spec: PodSpec,
  }),
})

export interface Pod {
  /** `kind name` of the object that makes it. */
  readonly of: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: PodSpec
}

/** Every pod that an object is or makes. */
export const podsOf = (objects: readonly KubernetesObject[]): Pod[] =>
  objects.flatMap(({ kind, metadata, spec }): Pod[] => {
    const of = `${kind} ${metadata.name}`
    if (kind === 'Pod') return [{ of, labels: metadata.labels, annotations: metadata.annotations, spec: v.parse(PodSpec, spec) }]
    const made = v.safeParse(Template, spec)
    if (!made.success) return []
    const { template } = made.output
    return [{ of, labels: template.metadata.labels, annotations: template.metadata.annotations, spec: template.spec }]
  })

export const containersOf = ({ containers, initContainers, ephemeralContainers }: PodSpec): Container[] => [
  ...initContainers,
  ...containers,
  ...ephemeralContainers,
]
