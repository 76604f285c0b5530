// The rules of the "restricted" Pod Security Standard, which hold those of "baseline" too, as kubernetes.io words them.
import { containersOf, type Container, type Pod, type Security } from './objects.ts'

type Rule = (pod: Pod) => string[]

const perContainer =
  (fault: (container: Container) => string | undefined): Rule =>
  ({ spec }) =>
    containersOf(spec).flatMap((container) => {
      const found = fault(container)
      return found === undefined ? [] : [`${container.name}: ${found}`]
    })

const everywhere =
  (fault: (security: Security) => string | undefined): Rule =>
  ({ spec }) =>
    [['pod', spec.securityContext] as const, ...containersOf(spec).map((each) => [each.name, each.securityContext] as const)].flatMap(
      ([where, security]) => {
        const found = fault(security)
        return found === undefined ? [] : [`${where}: ${found}`]
      },
    )

const volumeTypes: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])
const seLinuxTypes: ReadonlySet<string> = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'])
const sysctls: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
])
const confining: ReadonlySet<string | undefined> = new Set(['RuntimeDefault', 'Localhost'])

const hostAsked = ({ startupProbe, livenessProbe, readinessProbe, lifecycle }: Container): boolean =>
  [startupProbe, livenessProbe, readinessProbe, ...Object.values(lifecycle)].some((probe) => (probe?.httpGet?.host ?? '') !== '')

export const restricted: Readonly<Record<string, Rule>> = {
  hostProcess: everywhere(({ windowsOptions }) => (windowsOptions?.hostProcess === true ? 'a HostProcess of Windows' : undefined)),
  hostNamespaces: ({ spec }) =>
    (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name]).map((name) => `pod: ${name} is true`),
  privileged: perContainer(({ securityContext }) => (securityContext.privileged === true ? 'privileged' : undefined)),
  capabilities: perContainer(({ securityContext: { capabilities } }) => {
    if (!(capabilities?.drop ?? []).includes('ALL')) return 'does not drop ALL capabilities'
    const added = (capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE')
    return added.length > 0 ? `adds the capabilities ${added.join(', ')}` : undefined
  }),
  hostPorts: perContainer(({ ports }) => (ports.some(({ hostPort = 0 }) => hostPort !== 0) ? 'takes a port of the host' : undefined)),
  hostProbes: perContainer((container) => (hostAsked(container) ? 'a probe names a host' : undefined)),
  appArmor: (pod) => [
    ...everywhere(({ appArmorProfile }) => (appArmorProfile?.type === 'Unconfined' ? 'AppArmor is unconfined' : undefined))(pod),
    ...Object.entries(pod.annotations).flatMap(([name, value]) =>
      name.startsWith('container.apparmor.security.beta.kubernetes.io/') && !/^(runtime\/default|localhost\/.*|)$/.test(value)
        ? [`pod: ${name} is ${value}`]
        : [],
    ),
  ],
  seLinux: everywhere(({ seLinuxOptions: options }) => {
    if (options === undefined) return undefined
    const own = (options.user ?? '') !== '' || (options.role ?? '') !== '' || !seLinuxTypes.has(options.type ?? '')
    return own ? 'SELinux options of its own' : undefined
  }),
  procMount: perContainer(({ securityContext: { procMount = 'Default' } }) => (procMount === 'Default' ? undefined : 'unmasks /proc')),
  sysctls: ({ spec }) => spec.securityContext.sysctls.filter(({ name }) => !sysctls.has(name)).map(({ name }) => `pod: sets ${name}`),
  volumeTypes: ({ spec }) =>
    spec.volumes.flatMap((volume) => {
      const types = Object.keys(volume).filter((key) => key !== 'name')
      return types.length === 1 && types.every((type) => volumeTypes.has(type)) ? [] : [`pod: volume ${volume.name} is ${types.join(', ')}`]
    }),
  privilegeEscalation: perContainer(({ securityContext }) =>
    securityContext.allowPrivilegeEscalation === false ? undefined : 'may gain privileges',
  ),
  runAsNonRoot: ({ spec }) =>
    containersOf(spec).flatMap(({ name, securityContext }) =>
      (securityContext.runAsNonRoot ?? spec.securityContext.runAsNonRoot) === true ? [] : [`${name}: runAsNonRoot is not true`],
    ),
  runAsUser: everywhere(({ runAsUser }) => (runAsUser === 0 ? 'runs as root' : undefined)),
  unconfined: everywhere(({ seccompProfile }) => (seccompProfile?.type === 'Unconfined' ? 'seccomp is unconfined' : undefined)),
  seccomp: ({ spec }) =>
    containersOf(spec).flatMap(({ name, securityContext }) =>
      confining.has((securityContext.seccompProfile ?? spec.securityContext.seccompProfile)?.type) ? [] : [`${name}: no seccomp profile`],
    ),
}

/** What of a pod the standard forbids, as `rule: where: what`. */
export const violations = (pod: Pod): string[] =>
  Object.entries(restricted).flatMap(([name, rule]) => rule(pod).map((fault) => `${name}: ${fault}`))
