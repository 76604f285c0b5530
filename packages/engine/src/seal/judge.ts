// Evaluates the facts of a probe: which controls of the seal are effective. Covers only what is visible inside the sandbox.
import { sandboxUid } from '@gatehouse/contracts'
import { noResolver } from '../container/arguments.ts'
import type { Control, Driver, Mount } from '../driver.ts'
import type { Facts } from './facts.ts'

export type Verdict = 'held' | 'lacking'

/** The launch specification of the sandbox. */
export interface SealInput {
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly Mount[]
  readonly tmpMiB: number
  readonly kernel: Driver['kernel']
}

const MiB = 1024 * 1024

/** Variables that engines always set. They reveal nothing that the sandbox does not know. */
const engineVariables: ReadonlySet<string> = new Set(['PATH', 'PWD', 'HOME', 'HOSTNAME', 'TERM', 'container'])

/** Files of the root file system or the engine. */
const ownFiles = /^\/(\.dockerenv|agent|bin|dev|etc|lib|lib64|memory|mnt|packages|proc|run|shared|sys|tmp|usr|workspace)$/
const ownPaths =
  /^\/(agent\/[^/]+\.mjs|bin\/node|etc\/(group|hostname|hosts|mtab|nsswitch\.conf|passwd|resolv\.conf)|run\/(\.containerenv|gatehouse))$/
const ownDevices: ReadonlySet<string> = new Set([
  'null',
  'zero',
  'full',
  'random',
  'urandom',
  'tty',
  'ptmx',
  'pts',
  'shm',
  'mqueue',
  'fd',
  'core',
  'stdin',
  'stdout',
  'stderr',
  'console',
])

/** Files of gVisor's own kernel, not of the host. */
const emulatedDevices: ReadonlySet<string> = new Set(['fuse', 'net'])

/** The probe, its supervisor, and the first process of the namespace. */
const mostProcesses = 3

type Judge = (facts: Facts, given: SealInput) => boolean

const writableTargets = (given: SealInput): string[] => [
  '/tmp',
  ...given.mounts.filter(({ mode }) => mode === 'rw').map(({ target }) => target),
]

/** gVisor does not show these flags; there a file that cannot be executed is the evidence. */
const isFlagged = (facts: Facts, { kernel }: SealInput, target: string): boolean => {
  if (kernel === 'gvisor') return true
  const flags = facts.mounts?.findLast((mount) => mount.target === target)?.flags ?? []
  return ['nosuid', 'nodev', 'noexec'].every((flag) => flags.includes(flag))
}

/** Only the session socket must be reachable; a trial serves no other. */
const reachesItsSocket = ({ sockets }: Facts, given: SealInput): boolean => {
  const wanted = (surface: string): boolean => given.mounts.some(({ target }) => target === `/run/gatehouse/${surface}`)
  return Object.entries(sockets).every(([surface, found]) => (found === 'connected') === wanted(surface))
}

const atMost = (limit: { soft: number | string; hard: number | string } | undefined, most: number): boolean =>
  limit !== undefined && [limit.soft, limit.hard].every((value) => typeof value === 'number' && value <= most)

const judges: Partial<Record<Control, Judge>> = {
  identity: (facts) => facts.uid === sandboxUid && facts.gid === sandboxUid && !facts.groups.includes(0),
  network: (facts, given) => {
    const { interfaces, routes, abstractSockets } = facts
    return (
      reachesItsSocket(facts, given) &&
      interfaces?.length === 1 &&
      interfaces[0] === 'lo' &&
      routes?.length === 0 &&
      abstractSockets?.length === 0
    )
  },
  'read-only-root': (facts, given) => facts.writable.every((path) => writableTargets(given).includes(path)),
  tmp: ({ mounts, tmpBytes, writable }, given) =>
    writable.includes('/tmp') &&
    mounts?.findLast(({ target }) => target === '/tmp')?.type === 'tmpfs' &&
    tmpBytes !== null &&
    tmpBytes <= given.tmpMiB * MiB,
  'mount-flags': (facts, given) =>
    facts.executable.length === 0 && writableTargets(given).every((target) => isFlagged(facts, given, target)),
  capabilities: ({ status }) => {
    const sets = Object.entries(status ?? {}).filter(([name]) => name.startsWith('Cap'))
    return sets.length >= 4 && sets.every(([, value]) => /^0+$/.test(value))
  },
  /** gVisor does not report the flag; it does not support setuid programs. */
  'no-new-privileges': ({ status }, { kernel }) =>
    status?.['NoNewPrivs'] === '1' || (kernel === 'gvisor' && status !== null && status['NoNewPrivs'] === undefined),
  seccomp: ({ status, inet }) => status?.['Seccomp'] === '2' && (inet === 'EPERM' || inet === 'EACCES'),
  processes: ({ processes }) => processes !== null && processes.length <= mostProcesses,
  environment: ({ environment, initEnvironment, descriptors }, given) =>
    environment !== null &&
    [...environment, ...(initEnvironment ?? [])].every((name) => name in given.env || engineVariables.has(name)) &&
    descriptors !== null &&
    descriptors.every((path) => path.startsWith('/dev/') || path.startsWith('/proc/')),
  files: ({ files, resolvers }) =>
    files !== null &&
    files.every((path) => ownFiles.test(path) || ownPaths.test(path)) &&
    resolvers !== null &&
    resolvers.every((name) => name === noResolver || name === '.'),
  devices: ({ devices }, { kernel }) =>
    devices !== null && devices.every((name) => ownDevices.has(name) || (kernel === 'gvisor' && emulatedDevices.has(name))),
  'open-files-limit': ({ limits }) => atMost(limits?.['open_files'], 1024) && atMost(limits?.['core_file_size_blocks'], 0),
}

export const evaluateSeal = (facts: Facts, given: SealInput): Partial<Record<Control, Verdict>> =>
  Object.fromEntries(Object.entries(judges).map(([wall, holds]) => [wall, holds(facts, given) ? 'held' : 'lacking']))
