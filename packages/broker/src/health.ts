// How the broker goes, for the supervisor and for people. A server that is down degrades, and so do records that cannot be
// written; an idle server does not.
import { type Health, stateFiles } from '@gatehouse/contracts'
import type { Recorder } from './calls/record.ts'
import type { Servers } from './upstream/servers.ts'

interface HealthOf {
  readonly servers: Pick<Servers, 'states'>
  readonly sessions: { readonly size: number }
  readonly recorder: Pick<Recorder, 'isWritable'>
}

export const health = ({ servers, sessions, recorder }: HealthOf): Health => {
  const states = Object.entries(servers.states())
  const down = states.filter(([, { status }]) => status === 'down').map(([name]) => name)
  const degraded = recorder.isWritable ? down : [...down, stateFiles.calls]
  const facts = { servers: states.length, sessions: sessions.size }
  return { status: degraded.length === 0 ? 'ready' : 'degraded', degraded, facts }
}
