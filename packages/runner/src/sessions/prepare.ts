// Everything that a sandbox finds when it begins: surfaces, directories, its door to the host.
import {
  type AgentGroup,
  type HostIdentity,
  limits,
  type Session as Registered,
  sandboxSockets,
  surfaceDirectory,
} from '@gatehouse/contracts'
import type { Driver, LaunchSpec, Mount } from '@gatehouse/engine'
import { dirname } from 'node:path'
import { groupDirectories, type GroupDirectories } from '../groups/directories.ts'
import { type Door, openDoor } from '../socket/open.ts'
import type { Context } from './context.ts'
import { LaunchRefused } from './end.ts'
import type { Run } from './run.ts'
import type { Session } from './session.ts'
import { surfacesReady } from './surfaces.ts'

export interface Prepared {
  readonly driver: Driver
  readonly spec: LaunchSpec
  readonly door: Door
}

/** The program of the root file system. */
const command = ['/bin/node', '/agent/agent.mjs'] as const

const mountsOf = ({ runDir }: Context, registered: Registered, directories: GroupDirectories): Mount[] => [
  { source: directories.workspace, target: '/workspace', mode: 'rw' },
  { source: directories.memory, target: '/memory', mode: 'rw' },
  { source: directories.shared, target: '/shared', mode: 'ro' },
  { source: surfaceDirectory(runDir, 'session', registered.id), target: dirname(sandboxSockets.session), mode: 'ro' },
  ...registered.expected.map(
    (surface) =>
      ({ source: surfaceDirectory(runDir, surface, registered.id), target: dirname(sandboxSockets[surface]), mode: 'ro' }) as const,
  ),
]

const sandboxLimits: LaunchSpec['limits'] = {
  memoryMiB: limits.sandboxMemoryMiB,
  cpus: limits.sandboxCpus,
  processes: limits.sandboxProcesses,
  pids: limits.sandboxPids,
  tmpMiB: limits.sandboxTmpMiB,
}

const refuseUnsealed = (driver: Driver, group: AgentGroup): void => {
  if (driver.name === 'none' && group.agent !== 'mock') {
    throw new LaunchRefused(
      `an agent of the kind ${group.agent} needs a sandbox, and the driver none has no walls: it runs the mock agent alone`,
    )
  }
}

interface Place {
  readonly registered: Registered
  readonly owner: HostIdentity | undefined
  readonly rootfs: string
}

const specOf = async (context: Context, run: Run, { registered, owner, rootfs }: Place): Promise<LaunchSpec> => ({
  id: run.id,
  installation: context.installation,
  rootfs,
  command,
  env: {},
  mounts: mountsOf(context, registered, await groupDirectories(context.stateDir, registered.agentGroupID, owner)),
  identity: registered.identity,
  limits: sandboxLimits,
})

export const prepare = async (context: Context, session: Session, run: Run): Promise<Prepared> => {
  const { driver, rootfs } = await context.posture.engaged(run.signal)
  const { session: registered, group } = await surfacesReady(context, session, run.signal)
  refuseUnsealed(driver, group)
  const owner = driver.owner(registered.identity)
  const spec = await specOf(context, run, { registered, owner, rootfs })
  const info = {
    session: session.id,
    agentGroupID: group.id,
    conversationId: session.conversationID,
    name: group.name,
    agent: group.agent,
    persona: group.persona,
    tools: group.tools,
    ...(group.model === undefined ? {} : { model: group.model }),
  }
  return { driver, spec, door: await openDoor({ context, session, run, info }, owner?.gid) }
}
