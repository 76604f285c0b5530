// Which paths of the host may be inside a sandbox. Each is judged as it was given and as the runner found it, so that no
// link leads elsewhere than the name says.
import type { Failure, Mount, Evidence } from '@gatehouse/contracts'
import { nameList, quote } from '../text.ts'
import type { VerifyInput } from './kind.ts'

type Config = VerifyInput['context']['config']
type Sightings = Extract<Evidence, { status: 'sighted' }>['mounts']

/** What the host's kernel and its services show of themselves. */
const system = ['/proc', '/sys', '/dev', '/run', '/var/run']

const isWithin = (path: string, directory: string): boolean => {
  const root = directory.endsWith('/') ? directory : `${directory}/`
  return path === directory || path === root || path.startsWith(root)
}

const isPlain = (path: string): boolean =>
  path === '/' ||
  path
    .slice(1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')

/** `/srv/data`, or `/srv/data, which is /home/x` where a link leads there. */
const nameOf = (given: string, path: string): string => (given === path ? quote(path) : `${quote(given)}, which is ${quote(path)}`)

const systemFailure = (given: string, path: string): Failure | undefined =>
  path === '/' || system.some((directory) => isWithin(path, directory))
    ? {
        rule: 'mount-of-system',
        reason: `expected a path of its own, got ${nameOf(given, path)}: ${nameList(['/', ...system])} and what is below them stay outside, mount a directory of data`,
      }
    : undefined

const ownFailure = (given: string, path: string, { ownPaths }: Config): Failure | undefined =>
  ownPaths.some((own) => isWithin(path, own) || isWithin(own, path))
    ? {
        rule: 'mount-of-unit',
        reason: `expected a path apart from the unit's own state, run directory and catalog, got ${nameOf(given, path)}, which holds them or lies in them: mount another directory`,
      }
    : undefined

const allowFailure = (given: string, path: string, { mountAllow }: Config): Failure | undefined =>
  mountAllow.some((allowed) => isWithin(path, allowed))
    ? undefined
    : {
        rule: 'mount-not-allowed',
        reason: `expected a path below those that SERVICE_MOUNT_ALLOW names (${nameList(mountAllow)}), got ${nameOf(given, path)}: the operator adds it there and starts the unit again`,
      }

const pathFailure = (given: string, path: string, config: Config): Failure | undefined =>
  systemFailure(given, path) ?? ownFailure(given, path, config) ?? allowFailure(given, path, config)

const givenFailure = ({ source }: Mount, config: Config): Failure | undefined =>
  isPlain(source)
    ? pathFailure(source, source, config)
    : {
        rule: 'mount-path-unclear',
        reason: `expected a path without ".", "..", empty parts and a slash at its end, got ${quote(source)}: write it out`,
      }

const seenFailure = ({ source, real, type }: Sightings[number], config: Config): Failure | undefined => {
  if (real === undefined) {
    return {
      rule: 'mount-missing',
      reason: `expected a directory or file of the host, got ${quote(source)}, where there is nothing: make it first`,
    }
  }
  if (type !== 'directory' && type !== 'file') {
    return {
      rule: 'mount-special',
      reason: `expected a directory or file of the host, got ${quote(source)}, which is a ${type === 'socket' ? 'socket' : 'device or pipe'}: mount data alone`,
    }
  }
  return pathFailure(source, real, config)
}

const twiceFailure = (paths: readonly string[]): Failure | undefined => {
  const again = paths.find((path, index) => paths.indexOf(path) !== index)
  return again === undefined
    ? undefined
    : { rule: 'mount-twice', reason: `expected each path once, got ${quote(again)} twice: leave one out` }
}

interface Place {
  readonly path: string
  readonly mode: Mount['mode']
  readonly name: string
  /** It is mounted already. */
  readonly stands: boolean
}

const clash = (one: Place, other: Place): boolean =>
  one.path !== other.path &&
  !(one.stands && other.stands) &&
  ((one.mode === 'rw' && isWithin(other.path, one.path)) || (other.mode === 'rw' && isWithin(one.path, other.path)))

const placesOf = (mounts: readonly Mount[], { context, evidence }: VerifyInput): Place[] => {
  const seen = evidence?.status === 'sighted' ? evidence.mounts : []
  return mounts.flatMap(({ source, mode }) => {
    const stands = context.group?.mounts.some((mount) => mount.source === source && mount.mode === mode) ?? false
    const real = seen.find((sighting) => sighting.source === source)?.real ?? source
    return [...new Set([source, real])].map((path) => ({ path, mode, stands, name: nameOf(source, path) }))
  })
}

/** Whoever writes in a directory can put a link in the place of what lies in it, also between two looks at what is mounted there. */
const writtenFailure = (mounts: readonly Mount[], input: VerifyInput): Failure | undefined => {
  const asked = placesOf(mounts, input)
  const others = (input.context.elsewhere ?? []).flatMap(({ source, real = source, mode }) =>
    [...new Set([source, real])].map((path) => ({ path, mode, stands: true, name: 'a mount of another group' })),
  )
  for (const one of asked) {
    const other = [...asked, ...others].find((place) => clash(one, place))
    if (other !== undefined)
      return {
        rule: 'mount-within-written',
        reason: `expected no mount within a directory that a sandbox writes, got ${one.name} and ${other.name}, one within the other: whoever writes there could exchange what the other one shows; mount the outer one to be read only, or one of them alone`,
      }
  }
  return undefined
}

const first = <T>(items: readonly T[], judge: (item: T) => Failure | undefined): Failure | undefined => {
  for (const item of items) {
    const failure = judge(item)
    if (failure !== undefined) return failure
  }
  return undefined
}

export const mountFailure = (mounts: readonly Mount[], input: VerifyInput): Failure | undefined => {
  const { context, evidence } = input
  const seen = evidence?.status === 'sighted' ? evidence.mounts : []
  return (
    first(mounts, (mount) => givenFailure(mount, context.config)) ??
    twiceFailure(mounts.map(({ source }) => source)) ??
    first(seen, (sighting) => seenFailure(sighting, context.config)) ??
    twiceFailure(seen.map(({ source, real }) => real ?? source)) ??
    writtenFailure(mounts, input)
  )
}
