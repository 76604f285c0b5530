// What the unit says about itself to people who may know.
import { type Digest, isServiceError, limits, type Status } from '@gatehouse/contracts'
import type { CallOptions } from '@gatehouse/rpc'
import type { Unit } from '../env.ts'

/** Undefined while the gateway does not answer. */
const countHeld = async (unit: Unit, token: Digest | null, call: CallOptions): Promise<number | undefined> => {
  let count = 0
  let cursor: string | undefined
  try {
    do {
      const page = await unit.peers.gateway.pending({ token, limit: limits.pageSizeMost, cursor }, call)
      count += page.items.length
      cursor = page.nextCursor
    } while (cursor !== undefined)
  } catch (error) {
    if (isServiceError(error) && (error.code === 'unavailable' || error.code === 'deadline')) return undefined
    throw error
  }
  return count
}

export const readStatus = async (unit: Unit, token: Digest | null, call: CallOptions): Promise<Status> => {
  const [survey, held] = await Promise.all([unit.survey(), countHeld(unit, token, call)])
  const { boot } = unit
  return {
    version: boot.version,
    mode: boot.mode,
    open: boot.open,
    startedAt: unit.startedAt,
    mcp: boot.mcp === null ? { enabled: false } : { enabled: true, isolation: boot.mcp.isolation },
    sandbox:
      survey.sandbox.status === 'unknown'
        ? { driver: 'unknown', status: 'refused', reason: 'the runner does not answer', missing: [] }
        : survey.sandbox,
    processes: [...survey.processes],
    degraded: [...new Set([...survey.degraded, ...(held === undefined ? ['gateway'] : [])])],
    held: held ?? 0,
  }
}
