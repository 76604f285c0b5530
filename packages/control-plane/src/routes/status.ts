// Routes of the status of the unit.
import { stat } from 'node:fs/promises'
import { type ControlPlaneBoot, type Freeze, isServiceError, type Principal, type Status, type UnitIdentity } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Context } from 'hono'
import type { UnitStatus } from '../collect-status.ts'
import type { Env, Unit } from '../env.ts'

/** Identifies the unit by its installation and state directory, for programs on the host that read its files. */
export interface IdentityDeps {
  readonly boot: Pick<ControlPlaneBoot, 'installation' | 'stateDir'>
  readonly log: Logger
}

/** Undefined for a principal that is restricted to some groups. */
const readIdentity = async ({ boot, log }: IdentityDeps, { groups }: Principal): Promise<UnitIdentity | undefined> => {
  if (groups !== undefined) return undefined
  const { installation, stateDir } = boot
  try {
    const { dev, ino } = await stat(stateDir, { bigint: true })
    return { installation, stateDir, device: String(dev), inode: String(ino) }
  } catch (error) {
    log.warn('the state directory cannot be reached', { stateDir, error })
    return undefined
  }
}

const isAway = (error: unknown): boolean => isServiceError(error) && (error.code === 'unavailable' || error.code === 'deadline')

/** Undefined if the gateway does not respond. */
const whileThere = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await act()
  } catch (error) {
    if (isAway(error)) return undefined
    throw error
  }
}

/** Milliseconds. */
const parkedTime = 1_000

const countHeld = async ({ unit, token, call }: Env['Variables']): Promise<number> =>
  (await unit.peers.gateway.heldCount({ token }, call)).held

const readFrozen = async ({ unit, token, call }: Env['Variables']): Promise<Freeze[]> =>
  (await unit.peers.gateway.freezes({ token }, call)).items

/** Tool servers that run without a sandbox. Shown to everyone who can read the status. */
const readExternal = async ({ unit, token, call }: Env['Variables']): Promise<Status['external']> =>
  (await unit.peers.gateway.groups({ token }, call)).items.filter(({ agent }) => agent === 'external').map(({ id }) => id)

const shown = ({ name, role, person, groups }: Principal): Status['principal'] => ({
  name,
  role,
  ...(person !== undefined && { person }),
  ...(groups !== undefined && { groups }),
})

const postureOf = ({ sandbox }: UnitStatus): Status['sandbox'] =>
  sandbox.status === 'unknown' ? { driver: 'unknown', status: 'refused', reason: 'the runner does not answer', missing: [] } : sandbox

const bootFacts = ({ boot, startedAt }: Unit) => ({
  version: boot.version,
  mode: boot.mode,
  open: boot.open,
  startedAt,
  mcp: boot.mcp === null ? { enabled: false } : { enabled: true, ...boot.mcp },
  approvals: boot.approvals,
})

/** Counts for the visible groups. Empty if the runner does not respond, which is then listed as degraded. */
const readParked = async ({ unit, principal: { groups }, call }: Env['Variables']): Promise<Status['parked']> => {
  const filter = { state: 'parked' as const, limit: 100, ...(groups !== undefined && { agentGroupIDs: groups }) }
  return (await whileThere(async () => (await unit.peers.runner.sessions(filter, { ...call, deadline: parkedTime })).items)) ?? []
}

export const readStatus = async (c: Context<Env>): Promise<Status> => {
  const { unit, principal } = c.var
  const [survey, held, frozen, parked, identity, external] = await Promise.all([
    unit.survey(),
    whileThere(() => countHeld(c.var)),
    whileThere(() => readFrozen(c.var)),
    unit.boot.sandbox === 'off' ? [] : readParked(c.var),
    readIdentity(unit, principal),
    whileThere(() => readExternal(c.var)),
  ])
  const away = held === undefined || frozen === undefined
  return {
    ...bootFacts(unit),
    external: external ?? [],
    ...(identity !== undefined && { identity }),
    principal: shown(principal),
    frozen: frozen ?? [],
    sandbox: postureOf(survey),
    processes: [...survey.processes],
    degraded: [...new Set([...survey.degraded, ...(away ? ['gateway'] : [])])],
    held: held ?? 0,
    parked,
  }
}
