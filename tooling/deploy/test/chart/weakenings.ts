// Each hardening line of the chart, taken away or turned round, and the rule that must find it.

export interface Weakening {
  readonly rule: string
  /** Below templates/. */
  readonly file: string
  /** Stands there once. */
  readonly line: string
  readonly becomes: string
}

type Row = readonly [rule: string, file: string, line: string, becomes: string]

const settings = '_settings.tpl'
const unit = 'statefulset.yaml'

export const rows = (list: readonly Row[]): Weakening[] => list.map(([rule, file, line, becomes]) => ({ rule, file, line, becomes }))

const podLine = '        {{- include "gatehouse.podSecurity" . | nindent 8 }}\n'
const containerLine = '            {{- include "gatehouse.containerSecurity" . | nindent 12 }}\n'
const inPod = (text: string): Row[3] => `${podLine}        ${text}\n`
const inContainer = (text: string): Row[3] => `${containerLine}            ${text}\n`
const links = '      enableServiceLinks: false\n'
const component = 'app.kubernetes.io/component: control-plane\n'
const port = '              protocol: TCP\n          # A start'
const probe = 'httpGet: { path: /readyz, port: http }'
const state = '        - name: state\n          persistentVolumeClaim:\n'

export const standard = rows([
  ['runAsNonRoot', settings, 'runAsNonRoot: true\n', ''],
  ['runAsNonRoot', settings, 'runAsNonRoot: true\n', 'runAsNonRoot: false\n'],
  ['runAsUser', settings, 'runAsUser: 65532\n', 'runAsUser: 0\n'],
  ['seccomp', settings, 'seccompProfile:\n  type: RuntimeDefault\n', ''],
  ['seccomp', settings, 'type: RuntimeDefault\n', 'type: Unconfined\n'],
  ['unconfined', settings, 'type: RuntimeDefault\n', 'type: Unconfined\n'],
  ['privilegeEscalation', settings, 'allowPrivilegeEscalation: false\n', ''],
  ['privilegeEscalation', settings, 'allowPrivilegeEscalation: false\n', 'allowPrivilegeEscalation: true\n'],
  ['capabilities', settings, 'capabilities:\n  drop: [ALL]\n', ''],
  ['capabilities', settings, 'drop: [ALL]\n', 'drop: [NET_RAW]\n'],
  ['capabilities', settings, 'drop: [ALL]\n', 'drop: [ALL]\n  add: [SYS_ADMIN]\n'],
  ['privileged', unit, containerLine, inContainer('privileged: true')],
  ['procMount', unit, containerLine, inContainer('procMount: Unmasked')],
  ['seLinux', unit, containerLine, inContainer('seLinuxOptions: { type: spc_t }')],
  ['seLinux', unit, podLine, inPod('seLinuxOptions: { user: root }')],
  ['appArmor', unit, containerLine, inContainer('appArmorProfile: { type: Unconfined }')],
  ['sysctls', unit, podLine, inPod('sysctls: [{ name: kernel.msgmax, value: "1" }]')],
  ['hostProcess', unit, podLine, inPod('windowsOptions: { hostProcess: true }')],
  ['hostNamespaces', unit, links, `${links}      hostNetwork: true\n`],
  ['hostNamespaces', unit, links, `${links}      hostPID: true\n`],
  ['hostNamespaces', unit, links, `${links}      hostIPC: true\n`],
  ['hostPorts', unit, port, `              hostPort: 8787\n${port}`],
  ['hostProbes', unit, probe, 'httpGet: { path: /readyz, port: http, host: 169.254.169.254 }'],
  [
    'volumeTypes',
    unit,
    state,
    '        - name: host\n          hostPath: { path: / }\n        - name: state\n          persistentVolumeClaim:\n',
  ],
  [
    'volumeTypes',
    unit,
    state,
    '        - name: host\n          nfs: { server: a, path: / }\n        - name: state\n          persistentVolumeClaim:\n',
  ],
])

export const house = rows([
  ['ownUid', settings, 'runAsUser: 65532\n', ''],
  ['ownUid', settings, 'runAsGroup: 65532\n', ''],
  ['ownUid', settings, 'fsGroup: 65532\n', ''],
  ['privateState', settings, 'fsGroupChangePolicy: OnRootMismatch\n', ''],
  ['privateState', settings, 'fsGroupChangePolicy: OnRootMismatch\n', 'fsGroupChangePolicy: Always\n'],
  ['readOnlyRoot', settings, 'readOnlyRootFilesystem: true\n', ''],
  ['readOnlyRoot', settings, 'readOnlyRootFilesystem: true\n', 'readOnlyRootFilesystem: false\n'],
  ['noAccount', unit, '      automountServiceAccountToken: false\n', ''],
  ['noAccount', 'tests/answers.yaml', '  automountServiceAccountToken: false\n', ''],
  ['noServiceLinks', unit, links, ''],
  ['imageByDigest', '_names.tpl', '@{{ .Values.image.digest }}', ':latest'],
  ['limited', unit, '          resources:\n            {{- toYaml .Values.resources | nindent 12 }}\n', ''],
  [
    'noSecretInPlain',
    unit,
    '            - name: SERVICE_API_TOKEN\n',
    '            - name: SERVICE_MODEL_API_KEY\n              value: x\n            - name: SERVICE_API_TOKEN\n',
  ],
  ['probed', unit, probe, 'httpGet: { path: /healthz, port: http }'],
  [
    'probed',
    unit,
    '          livenessProbe:\n            httpGet: { path: /healthz',
    '          livenessProbe:\n            httpGet: { path: /metrics',
  ],
  [
    'probed',
    unit,
    '          startupProbe:\n            httpGet: { path: /healthz',
    '          startupProbe:\n            httpGet: { path: /',
  ],
  ['oneUnit', unit, '  replicas: 1\n', '  replicas: 2\n'],
  ['noSandbox', unit, "          args: [--sandbox, 'off']\n", ''],
  ['noSandbox', unit, "args: [--sandbox, 'off']", 'args: [--sandbox, container]'],
  ['noSandbox', unit, '      containers:\n', '      containers:\n        - name: sandbox\n          image: sandbox\n'],
  ['noSandbox', '_names.tpl', component, 'app.kubernetes.io/component: sandbox\n'],
  ['onlyKinds', 'serviceaccount.yaml', 'kind: ServiceAccount\n', 'kind: ClusterRole\n'],
  ['stateOnVolume', unit, 'value: {{ include "gatehouse.volume" . }}/state\n', 'value: /tmp/state\n'],
  [
    'stateOnVolume',
    unit,
    state,
    '        - name: state\n          emptyDir: {}\n        - name: other\n          persistentVolumeClaim:\n',
  ],
  ['roomForState', 'claim.yaml', 'storage: {{ .Values.persistence.size }}', 'storage: 10Mi'],
  ['claimStays', 'claim.yaml', '    helm.sh/resource-policy: keep\n', '    example.com/none: none\n'],
  [
    'socketsInMemory',
    unit,
    '        - name: runtime\n          emptyDir:\n            medium: Memory\n',
    '        - name: runtime\n          emptyDir:\n',
  ],
  ['socketsInMemory', unit, '            sizeLimit: {{ .Values.temporary.sizeLimit }}\n', ''],
  ['insideOnly', 'service.yaml', 'type: ClusterIP', 'type: NodePort'],
  ['insideOnly', 'service.yaml', 'type: ClusterIP', 'type: LoadBalancer'],
  ['reachedUnready', 'service.yaml', '  publishNotReadyAddresses: true\n', ''],
  ['reachedUnready', 'service.yaml', 'publishNotReadyAddresses: true', 'publishNotReadyAddresses: false'],
  ['tlsAtIngress', 'ingress.yaml', '  tls:\n    {{- toYaml .Values.ingress.tls | nindent 4 }}\n', ''],
])
