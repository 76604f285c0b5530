// The health of the runner, for the supervisor and for people.
import type { Health } from '@gatehouse/contracts'
import type { Context } from './state/context.ts'

/** A unit with `--sandbox off` is not degraded. */
export const health = ({ posture, sessions, toolContainers }: Pick<Context, 'posture' | 'sessions' | 'toolContainers'>): Health => {
  const { driver, status, reason, missing } = posture.status()
  const all = [...sessions.values()]
  const containers = toolContainers?.engaged
  const facts = {
    driver,
    sandbox: status,
    chosen: posture.isChosen(),
    ...(reason === undefined ? {} : { reason }),
    missing,
    sessions: all.filter(({ open }) => open).length,
    live: all.filter(({ state }) => state === 'live').length,
    parked: all.filter(({ state }) => state === 'parked').length,
    ...(containers === undefined ? {} : { toolContainers: 'refused' in containers ? containers.refused : containers.engine.name }),
    frozen: all.filter(({ open, frozen }) => open && frozen).length,
  }
  const degraded = [...(status === 'refused' ? ['sandbox'] : []), ...(toolContainers?.fault === undefined ? [] : ['tool-containers'])]
  return { status: degraded.length > 0 ? 'degraded' : 'ready', degraded, facts }
}
