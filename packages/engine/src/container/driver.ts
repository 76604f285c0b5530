// Sandboxes by a container engine. A container outlives whoever started it, so it carries the installation's label.
import { randomBytes } from 'node:crypto'
import { type HostIdentity, ServiceError, sandboxUid } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Driver, Exit, LaunchSpec, Sandbox } from '../driver.ts'
import { launchProgram } from '../launch.ts'
import { readStamp } from '../rootfs/stamp.ts'
import type { Wall } from '../seal/walls.ts'
import { runArguments } from './arguments.ts'
import { type Engine, callEngine, clientEnvironment } from './engine.ts'
import { ensureImage } from './image.ts'
import { removeStrays } from './reconcile.ts'

const State = v.looseObject({ OOMKilled: v.boolean(), ExitCode: v.number() })

/** No engine gives a group a host uid of its own; Docker cannot be asked for mount flags. */
const missingWalls = ({ name, user, gvisor, limits }: Engine): Wall[] => [
  ...(user === null ? [] : ['identity' as const]),
  'own-host-uid',
  ...(name === 'docker' || gvisor ? ['mount-flags' as const] : []),
  ...(gvisor ? ['no-new-privileges' as const] : []),
  'seccomp',
  ...(limits ? [] : (['memory-limit', 'process-limit', 'cpu-limit'] as const)),
]

/** Why it ended; the engine knows of a kill for memory only while the container is there. */
const settle = async (engine: Engine, name: string, exit: Exit): Promise<Exit> => {
  const inspected = await callEngine(engine, ['container', 'inspect', '--format', '{{json .State}}', name])
  if (!inspected.ok) return exit
  const state = v.safeParse(v.pipe(v.string(), v.parseJson(), State), inspected.stdout)
  await callEngine(engine, ['rm', '--force', name])
  return state.success && state.output.OOMKilled ? { ...exit, reason: 'out-of-memory' } : exit
}

const launch = (engine: Engine, spec: LaunchSpec): Promise<Sandbox> => {
  const name = `gatehouse-${spec.id}-${randomBytes(3).toString('hex')}`
  return launchProgram(
    { file: engine.file, args: runArguments(engine, spec, name), env: clientEnvironment, inheritEnvironment: true },
    {
      end: async () => {
        await callEngine(engine, ['rm', '--force', name])
      },
      settle: (exit) => settle(engine, name, exit),
    },
  )
}

const prepare = async (engine: Engine, rootfs: string): Promise<string> => {
  const stamp = await readStamp(rootfs)
  if (stamp === null) throw new ServiceError('no-sandbox', { detail: `${rootfs} is not an assembled root file system`, hint: 'run the build again' })
  return ensureImage(engine, { tag: `gatehouse-sandbox:${stamp.digest.slice(0, 12)}`, directory: rootfs, entries: ['.'] })
}

export const createContainer = (engine: Engine): Driver => ({
  name: 'container',
  missing: missingWalls(engine),
  owner: (_identity): HostIdentity | undefined => (engine.user === null ? { uid: sandboxUid, gid: sandboxUid } : undefined),
  prepare: (rootfs) => prepare(engine, rootfs),
  launch: (spec) => launch(engine, spec),
  reconcile: (installation) => removeStrays(engine, installation),
})
