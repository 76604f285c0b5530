// Which host paths may be mounted into a sandbox. Each path is checked as requested and as the runner resolved it, so a symbolic
// link cannot bypass a rule.
import type { Failure, Mount, Evidence } from '@gatehouse/contracts'
import { nameList, quote } from '../text.ts'
import type { VerifyInput } from './kind.ts'

type Config = VerifyInput['context']['config']
type Inspections = Extract<Evidence, { status: 'sighted' }>['mounts']

/** File systems of the kernel and of system services. */
const system = ['/proc', '/sys', '/dev', '/run', '/var/run']

const isWithin = (path: string, directory: string): boolean => {
  const root = directory.endsWith('/') ? directory : `${directory}/`
  return path === directory || path === root || path.startsWith(root)
}

const isNormalized = (path: string): boolean =>
  path === '/' ||
  path
    .slice(1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')

/** `/srv/data`, or `/srv/data (resolves to /home/x)` for a symbolic link. */
const describePath = (source: string, path: string): string =>
  source === path ? quote(path) : `${quote(source)} (resolves to ${quote(path)})`

const systemFailure = (source: string, path: string): Failure | undefined =>
  path === '/' || system.some((directory) => isWithin(path, directory))
    ? {
        rule: 'mount-of-system',
        reason: `${describePath(source, path)} is the root directory or in a system directory (${nameList(system)}): mount a data directory`,
      }
    : undefined

const unitFailure = (source: string, path: string, { ownPaths }: Config): Failure | undefined =>
  ownPaths.some((own) => isWithin(path, own) || isWithin(own, path))
    ? {
        rule: 'mount-of-unit',
        reason: `${describePath(source, path)} overlaps the unit's state directory, run directory or catalog: mount another directory`,
      }
    : undefined

const allowFailure = (source: string, path: string, { mountAllow }: Config): Failure | undefined =>
  mountAllow.some((allowed) => isWithin(path, allowed))
    ? undefined
    : {
        rule: 'mount-not-allowed',
        reason: `${describePath(source, path)} is not below a path in SERVICE_MOUNT_ALLOW (${nameList(mountAllow)}): the operator adds it there and restarts the unit`,
      }

const pathFailure = (source: string, path: string, config: Config): Failure | undefined =>
  systemFailure(source, path) ?? unitFailure(source, path, config) ?? allowFailure(source, path, config)

const sourceFailure = ({ source }: Mount, config: Config): Failure | undefined =>
  isNormalized(source)
    ? pathFailure(source, source, config)
    : {
        rule: 'mount-path-unclear',
        reason: `${quote(source)} is not a normalized path: remove ".", "..", empty parts and the trailing slash`,
      }

const inspectionFailure = ({ source, real, type }: Inspections[number], config: Config): Failure | undefined => {
  if (real === undefined) {
    return {
      rule: 'mount-missing',
      reason: `${quote(source)} does not exist on the host: create it first`,
    }
  }
  if (type !== 'directory' && type !== 'file') {
    return {
      rule: 'mount-special',
      reason: `${quote(source)} is a ${type === 'socket' ? 'socket' : 'device or pipe'}: mount only directories and regular files`,
    }
  }
  return pathFailure(source, real, config)
}

const duplicateFailure = (paths: readonly string[]): Failure | undefined => {
  const duplicate = paths.find((path, index) => paths.indexOf(path) !== index)
  return duplicate === undefined ? undefined : { rule: 'mount-twice', reason: `${quote(duplicate)} is listed twice: remove one` }
}

interface MountedPath {
  readonly path: string
  readonly mode: Mount['mode']
  readonly name: string
  /** It is mounted already. */
  readonly isPresent: boolean
}

const isConflict = (one: MountedPath, other: MountedPath): boolean =>
  one.path !== other.path &&
  !(one.isPresent && other.isPresent) &&
  ((one.mode === 'rw' && isWithin(other.path, one.path)) || (other.mode === 'rw' && isWithin(one.path, other.path)))

const listPaths = (mounts: readonly Mount[], { context, evidence }: VerifyInput): MountedPath[] => {
  const inspections = evidence?.status === 'sighted' ? evidence.mounts : []
  return mounts.flatMap(({ source, mode }) => {
    const isPresent = context.group?.mounts.some((mount) => mount.source === source && mount.mode === mode) ?? false
    const real = inspections.find((inspection) => inspection.source === source)?.real ?? source
    return [...new Set([source, real])].map((path) => ({ path, mode, isPresent, name: describePath(source, path) }))
  })
}

/** An agent that can write to a directory can replace its entries with symbolic links, even after they were inspected. */
const overlapFailure = (mounts: readonly Mount[], input: VerifyInput): Failure | undefined => {
  const own = listPaths(mounts, input)
  const others = (input.context.otherGroupMounts ?? []).flatMap(({ source, real = source, mode }) =>
    [...new Set([source, real])].map((path) => ({ path, mode, isPresent: true, name: 'a mount of another group' })),
  )
  for (const one of own) {
    const conflicting = [...own, ...others].find((other) => isConflict(one, other))
    if (conflicting !== undefined)
      return {
        rule: 'mount-within-written',
        reason: `${one.name} and ${conflicting.name} overlap, and a sandbox could write to the outer one and replace the inner one: mount the outer one read-only, or mount only one of them`,
      }
  }
  return undefined
}

const firstFailure = <T>(items: readonly T[], check: (item: T) => Failure | undefined): Failure | undefined => {
  for (const item of items) {
    const failure = check(item)
    if (failure !== undefined) return failure
  }
  return undefined
}

export const mountFailure = (mounts: readonly Mount[], input: VerifyInput): Failure | undefined => {
  const { context, evidence } = input
  const inspections = evidence?.status === 'sighted' ? evidence.mounts : []
  return (
    firstFailure(mounts, (mount) => sourceFailure(mount, context.config)) ??
    duplicateFailure(mounts.map(({ source }) => source)) ??
    firstFailure(inspections, (inspection) => inspectionFailure(inspection, context.config)) ??
    duplicateFailure(inspections.map(({ source, real }) => real ?? source)) ??
    overlapFailure(mounts, input)
  )
}
