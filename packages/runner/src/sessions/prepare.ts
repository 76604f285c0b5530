// Prepares everything that a sandbox needs at its start: sockets, directories, mounts and limits.
import { once } from 'node:events'
import { dirname } from 'node:path'
import {
  type AgentGroup,
  type HostIdentity,
  sandboxSockets,
  ServiceError,
  type Session as Registered,
  type SessionInfo,
  surfaceDirectory,
} from '@gatehouse/contracts'
import { defaultLimits, type Driver, type LaunchSpec, type Mount } from '@gatehouse/engine'
import { LaunchRefused } from '../errors.ts'
import { groupDirectories, type GroupDirectories, allowGroup } from '../groups/directories.ts'
import { checkMounts, createMountpoints } from '../mounts.ts'
import type { ReadyDriver } from '../sandbox/seal.ts'
import type { Run } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { Context, SessionSocket } from '../state/context.ts'
import { refreshSession, type RegisteredSession } from './registry.ts'

/** The session and its group as the gateway has them; `unavailable` when a surface is late, `frozen` while nothing may be launched. */
const surfacesReady = async (context: Context, session: Session, signal: AbortSignal): Promise<RegisteredSession> => {
  const waiting = new AbortController()
  const giveUp = (): void => waiting.abort()
  const late = setTimeout(giveUp, context.times.surfaces)
  signal.addEventListener('abort', giveUp, { signal: waiting.signal })
  try {
    for (;;) {
      const told = once(session.news, 'surface', { signal: waiting.signal }).then(
        () => true,
        () => false,
      )
      const registered = await refreshSession(context, session, signal)
      if (registered === undefined) continue
      if (registered.frozen) throw new ServiceError('frozen', { detail: 'it is frozen' })
      const { expected, reported } = registered.session
      const missing = expected.filter((surface) => !reported.includes(surface))
      if (missing.length === 0) return registered
      if (!(await told))
        throw new ServiceError('unavailable', { detail: `No service has reported ${missing.join(', ')} for session ${session.id}.` })
    }
  } finally {
    clearTimeout(late)
    waiting.abort()
  }
}

export interface Prepared {
  readonly driver: Driver
  /** Rejects when a mount has changed since the launch began. */
  readonly verify: () => Promise<unknown>
  readonly spec: LaunchSpec
  readonly socket: SessionSocket
}

/** The program of the root file system. */
const command = ['/bin/node', '/agent/agent.mjs'] as const

const mountsOf = ({ runDir, surfaces }: Context, registered: Registered, directories: GroupDirectories): Mount[] => [
  { source: directories.workspace, target: '/workspace', mode: 'rw' },
  { source: directories.memory, target: '/memory', mode: 'rw' },
  { source: directories.shared, target: '/shared', mode: 'ro' },
  { source: surfaceDirectory(runDir, 'session', registered.id), target: dirname(sandboxSockets.session), mode: 'ro' },
  ...registered.expected.map(
    (surface) =>
      ({ source: surfaceDirectory(surfaces, surface, registered.id), target: dirname(sandboxSockets[surface]), mode: 'ro' }) as const,
  ),
]

/** Grants access to the sockets that the other half of a split unit serves. */
const letIn = async ({ surfaces }: Context, { id, expected }: Registered, gid: number): Promise<void> => {
  for (const surface of expected) await allowGroup(surfaceDirectory(surfaces, surface, id), { gid, half: surfaces })
}

const limitsOf = ({ limits: own }: AgentGroup, { processBound }: Driver): LaunchSpec['limits'] => {
  const processes = own.processes ?? defaultLimits.processes
  return {
    ...defaultLimits,
    ...(own.memoryMiB !== undefined && { memoryMiB: own.memoryMiB }),
    ...(own.cpus !== undefined && { cpus: own.cpus }),
    processes,
    // Where the limit holds inside, a control group that was full first could end the runtime, such as gVisor, with all of the sandbox.
    pids: processBound === 'group' ? processes : Math.max(defaultLimits.pids, 4 * processes),
  }
}

/** The approved mounts and packages of a group. */
const givenMounts = async (context: Context, run: Run, group: AgentGroup): Promise<Mount[]> => {
  const { packages, mounts } = group
  const given: Mount[] = []
  if (packages !== undefined) {
    const source = await context.trees.have(packages)
    context.trees.use(run.id, packages.tree)
    given.push({ source, target: '/packages', mode: 'ro' })
  }
  if (mounts.length > 0) {
    const checked = await checkMounts(mounts, context.mountAllow)
    const points = `${context.runDir}/mnt/${run.id}`
    await createMountpoints(points, checked)
    given.push({ source: points, target: '/mnt', mode: 'ro' }, ...checked)
  }
  return given
}

const refuseUnsealed = (driver: Driver, group: AgentGroup): void => {
  if (driver.name === 'none' && group.agent !== 'mock') {
    throw new LaunchRefused(
      `an agent of the kind ${group.agent} needs a sandbox, and the driver none provides no isolation: it runs only the mock agent`,
    )
  }
  if (driver.name === 'none' && (group.mounts.length > 0 || group.packages !== undefined)) {
    throw new LaunchRefused('mounts and packages need a sandbox, and the driver none provides no isolation')
  }
}

/** Refuses a launch that would only fail repeatedly. */
const refuseWithoutModel = ({ expected }: Registered, { id, agent, model }: AgentGroup): void => {
  if (agent !== 'model') return
  if (model === undefined) {
    throw new LaunchRefused(
      'its agent uses a model, and no model is approved for its group',
      `submit a model for the group and have it approved: svcctl change submit permissions --group ${id} --model PROVIDER/ID`,
    )
  }
  if (!expected.includes('model')) {
    throw new LaunchRefused(
      `its agent uses a model of ${model.provider}, and the unit has a key for no provider`,
      `give the unit the key of ${model.provider} and start it again`,
    )
  }
}

interface Place {
  readonly registered: Registered
  readonly group: AgentGroup
  readonly owner: HostIdentity | undefined
  readonly engaged: ReadyDriver
}

const specOf = async (context: Context, run: Run, { registered, group, owner, engaged }: Place): Promise<LaunchSpec> => ({
  id: run.id,
  unitId: context.unitId,
  rootfs: engaged.rootfs,
  command,
  env: {},
  mounts: [
    ...mountsOf(context, registered, await groupDirectories(context.stateDir, registered.agentGroupID, owner)),
    ...(await givenMounts(context, run, group)),
  ],
  identity: registered.identity,
  limits: limitsOf(group, engaged.driver),
})

/** Without isolation a script would run on the host. */
const toolsOf = (driver: Driver, { tools }: Pick<AgentGroup, 'tools'>): Pick<SessionInfo, 'tools' | 'unavailable'> => {
  if (driver.name !== 'none' || !tools.includes('run_script')) return { tools }
  return {
    tools: tools.filter((tool) => tool !== 'run_script'),
    unavailable: { run_script: 'this unit runs agents without a sandbox (--sandbox none), and a script would run on the host' },
  }
}

export const prepare = async (
  context: Context,
  session: Session,
  { run, engaged }: { run: Run; engaged: ReadyDriver },
): Promise<Prepared> => {
  const { driver, disks } = engaged
  const { session: registered, group, applied } = await surfacesReady(context, session, run.signal)
  run.basis = { group, applied }
  refuseUnsealed(driver, group)
  refuseWithoutModel(registered, group)
  const owner = driver.owner(registered.identity)
  run.disk = await context.disks.open(disks, group, run)
  if (context.isSplit && owner !== undefined) await letIn(context, registered, (registered.identity ?? owner).gid)
  const spec = await specOf(context, run, { registered, group, owner, engaged })
  const info = {
    session: session.id,
    agentGroupID: group.id,
    conversationId: session.conversationID,
    name: group.name,
    agent: group.agent,
    persona: group.persona,
    ...toolsOf(driver, group),
    ...(group.model === undefined ? {} : { model: group.model }),
  }
  const verify = () => checkMounts(driver.name === 'none' ? [] : group.mounts, context.mountAllow)
  return {
    driver,
    verify,
    spec,
    socket: await context.openSocket({ context, session, run, info }, owner === undefined ? undefined : (registered.identity ?? owner).gid),
  }
}
