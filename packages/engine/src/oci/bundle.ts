// Builds the OCI configuration of a sandbox with every control that a runtime supports, and its id mappings.
import { type HostIdentity, limits, sandboxUid } from '@gatehouse/contracts'
import type { LaunchSpec, Mount } from '../driver.ts'
import { type Runtime, unitAnnotation } from './runtime.ts'

/** Outside of the ranges for groups and sessions. */
const spareDistance = 1_000_000

/** The gid in the sandbox that maps to the session's host gid, which may access its sockets. */
const sessionGid = sandboxUid + 1

interface Mapping {
  readonly containerID: number
  readonly hostID: number
  readonly size: 1
}

export interface Mappings {
  readonly uidMappings: readonly Mapping[]
  readonly gidMappings: readonly Mapping[]
}

const one = (containerID: number, hostID: number): Mapping => ({ containerID, hostID, size: 1 })

/** Files of a group belong to its uid and the gid of the same number; each session has another gid. */
export const ownerOf = (identity: HostIdentity | undefined): HostIdentity =>
  identity === undefined ? { uid: sandboxUid, gid: sandboxUid } : { uid: identity.uid, gid: identity.uid }

const mapIdentity = (identity: HostIdentity | undefined): Mappings => {
  if (identity?.uid === 0 || identity?.gid === 0) throw new TypeError('the host identity of a sandbox must not be root')
  const owner = ownerOf(identity)
  const session = identity === undefined || identity.gid === owner.gid ? [] : [one(sessionGid, identity.gid)]
  return {
    uidMappings: [one(0, owner.uid + spareDistance), one(sandboxUid, owner.uid)],
    gidMappings: [one(0, owner.gid + spareDistance), one(sandboxUid, owner.gid), ...session],
  }
}

const MiB = 1024 * 1024

export interface BundleParts {
  readonly runtime: Pick<Runtime, 'name'>
  readonly seccomp: object
  readonly cgroupsPath: string
}

const hidden = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/modules',
  '/proc/scsi',
  '/proc/sched_debug',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys',
] as const
const readOnly = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'] as const

const bind = ({ source, target, mode }: Mount): object => ({
  destination: target,
  type: 'bind',
  source,
  options: ['bind', mode, 'private', 'nosuid', 'nodev', 'noexec'],
})

/** `/tmp` uses the sandbox's memory, including its inodes, of which there is one per page. */
const tmp = (tmpMiB: number): object => ({
  destination: '/tmp',
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', 'nodev', 'noexec', 'mode=1777', `size=${tmpMiB * MiB}`, `nr_inodes=${tmpMiB * 256}`],
})

/** gVisor creates its own device file system and does not recognize a read-only one. */
const devices = ({ name }: Pick<Runtime, 'name'>): object => ({
  destination: '/dev',
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', 'noexec', 'mode=755', 'size=65536', 'nr_inodes=64', ...(name === 'runc' ? ['ro'] : [])],
})

const capabilities = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] }

const rlimit = (type: string, value: number): object => ({ type, hard: value, soft: value })

const processOf = (spec: LaunchSpec, additionalGids: readonly number[]): object => ({
  terminal: false,
  user: { uid: sandboxUid, gid: sandboxUid, additionalGids },
  args: spec.command,
  env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
  cwd: '/',
  capabilities,
  rlimits: [rlimit('RLIMIT_NOFILE', 1024), rlimit('RLIMIT_CORE', 0), rlimit('RLIMIT_NPROC', spec.limits.processes)],
  noNewPrivileges: true,
})

/** A full process control group ends gVisor with the whole sandbox, so the limit inside must be reached first. */
export const processesOf = ({ limits: asked }: Pick<LaunchSpec, 'limits'>, { name }: Pick<Runtime, 'name'>): number =>
  name === 'runsc' ? Math.max(asked.pids, limits.sandboxPidsGvisor) : asked.pids

const period = 100_000

const resourcesOf = (spec: LaunchSpec, runtime: Pick<Runtime, 'name'>): object => ({
  devices: [{ allow: false, access: 'rwm' }],
  memory: { limit: spec.limits.memoryMiB * MiB, swap: spec.limits.memoryMiB * MiB },
  pids: { limit: processesOf(spec, runtime) },
  cpu: { shares: limits.sandboxCpuShares, period, quota: Math.max(1000, Math.round(spec.limits.cpus * period)) },
})

export const renderBundle = (spec: LaunchSpec, { runtime, seccomp, cgroupsPath }: BundleParts): object => {
  const { uidMappings, gidMappings } = mapIdentity(spec.identity)
  const inside = gidMappings.map(({ containerID }) => containerID).filter((id) => id !== 0 && id !== sandboxUid)
  const namespaces = ['pid', 'network', 'ipc', 'uts', 'mount', 'user', ...(runtime.name === 'runc' ? ['cgroup'] : [])]
  return {
    ociVersion: '1.0.2',
    process: processOf(spec, inside),
    root: { path: spec.rootfs, readonly: true },
    hostname: 'sandbox',
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'nodev', 'noexec'] },
      devices(runtime),
      tmp(spec.limits.tmpMiB),
      ...spec.mounts.map(bind),
    ],
    annotations: { [unitAnnotation]: spec.unitId },
    linux: {
      uidMappings,
      gidMappings,
      namespaces: namespaces.map((type) => ({ type })),
      resources: resourcesOf(spec, runtime),
      cgroupsPath,
      maskedPaths: hidden,
      readonlyPaths: readOnly,
      seccomp,
    },
  }
}
