// How the runner goes, for the supervisor and for people.
import type { Health } from '@gatehouse/contracts'
import type { Context } from './sessions/context.ts'

/** A unit that was told to launch nothing is not broken. */
export const health = ({ posture, sessions }: Pick<Context, 'posture' | 'sessions'>): Health => {
  const { driver, status, reason, missing } = posture.status()
  const all = [...sessions.values()]
  const facts = {
    driver,
    sandbox: status,
    chosen: posture.isChosen(),
    ...(reason === undefined ? {} : { reason }),
    missing,
    sessions: all.filter(({ open }) => open).length,
    live: all.filter(({ state }) => state === 'live').length,
    parked: all.filter(({ state }) => state === 'parked').length,
    frozen: all.filter(({ open, frozen }) => open && frozen).length,
  }
  return status === 'refused' ? { status: 'degraded', degraded: ['sandbox'], facts } : { status: 'ready', degraded: [], facts }
}
