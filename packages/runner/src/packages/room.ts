// Prepares the sandbox that resolves and fetches packages: its directory, its task, and the socket of the forwarder.
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type gatewayRunner, type HostIdentity, sandboxSockets, stateFiles } from '@gatehouse/contracts'
import { defaultLimits, type LaunchSpec } from '@gatehouse/engine'
import { type Logger, privateDirectory } from '@gatehouse/kernel'
import type { TreeTask } from '@gatehouse/npm-tree'
import type { Calls } from '@gatehouse/rpc'
import type { SandboxStatus } from '../sandbox/posture.ts'
import type { RegistryPlace } from './forwarder.ts'

const program = ['/bin/node', '/agent/npm-tree.mjs', '/shared/task.json', '/workspace'] as const
const socketName = 'registry.sock'

/** Where the forwarder is from inside. */
export const wayInside = join(dirname(sandboxSockets.session), socketName)

export interface Room {
  readonly id: string
  /** What the sandbox may write. */
  readonly work: string
  /** Socket of the forwarder. */
  readonly socket: string
  readonly gid: number | undefined
  readonly mounts: LaunchSpec['mounts']
  give(task: TreeTask): Promise<void>
  remove(): Promise<void>
}

export const createWorkplace = async ({ stateDir, runDir }: TreePlace, owner: HostIdentity | undefined): Promise<Room> => {
  const id = `tree-${randomBytes(5).toString('hex')}`
  const home = `${stateDir}/${stateFiles.packages}/.${id}`
  const [work, shared, way] = [`${home}/work`, `${home}/shared`, `${runDir}/way/${id}`]
  await mkdir(home, { mode: 0o700 })
  await mkdir(work, { mode: 0o700 })
  await mkdir(shared)
  await chmod(shared, 0o755)
  await privateDirectory(way, owner === undefined ? 0o700 : 0o710)
  if (owner !== undefined) {
    await chown(work, owner.uid, owner.gid)
    await chown(way, process.geteuid?.() ?? -1, owner.gid)
  }
  return {
    id,
    work,
    socket: join(way, socketName),
    gid: owner?.gid,
    mounts: [
      { source: work, target: '/workspace', mode: 'rw' },
      { source: shared, target: '/shared', mode: 'ro' },
      { source: way, target: dirname(sandboxSockets.session), mode: 'ro' },
    ],
    give: async (task) => {
      const file = join(shared, 'task.json')
      await writeFile(file, JSON.stringify(task))
      await chmod(file, 0o644)
    },
    remove: async () => {
      for (const path of [home, way]) await rm(path, { recursive: true, force: true })
    },
  }
}

export const specOf = (
  { unitId }: Pick<TreePlace, 'unitId'>,
  { id, mounts }: Room,
  rest: Pick<LaunchSpec, 'rootfs' | 'identity'>,
): LaunchSpec => ({
  id,
  unitId,
  command: program,
  env: {},
  mounts,
  limits: defaultLimits,
  ...rest,
})

/** What the acts on packages need of the runner. */
export interface TreePlace {
  readonly unitId: string
  readonly stateDir: string
  readonly runDir: string
  readonly gateway: Pick<Calls<typeof gatewayRunner>, 'tree' | 'trees' | 'resolved'>
  readonly posture: Pick<SandboxStatus, 'engaged'>
  /** Where packages come from. */
  readonly registry: RegistryPlace
  /** Host identity of what belongs to no session; null where the unit is not root. */
  readonly identities: HostIdentity | null
  /** Milliseconds that one task about a tree may take. */
  readonly treeTime: number
  readonly log: Logger
  /** Aborts when the runner stops. */
  readonly closing: AbortSignal
}
