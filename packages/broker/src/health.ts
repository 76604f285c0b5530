// How the broker goes, for the supervisor and for people. A server that is down degrades; an idle one does not.
import type { Health } from '@gatehouse/contracts'
import type { Sessions } from './socket/sessions.ts'
import type { Servers } from './upstream/servers.ts'

export const health = (servers: Pick<Servers, 'states'>, sessions: Pick<Sessions, 'size'>): Health => {
  const states = Object.entries(servers.states())
  const degraded = states.filter(([, { status }]) => status === 'down').map(([name]) => name)
  const facts = { servers: states.length, sessions: sessions.size }
  return { status: degraded.length === 0 ? 'ready' : 'degraded', degraded, facts }
}
