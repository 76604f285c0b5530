// The states of a session and the only ways between them.
import assert from 'node:assert/strict'
import type { sessionStates } from '@gatehouse/contracts'

export type SessionState = (typeof sessionStates)[number]

/** `open`: the sandbox asked for work. `rest`: nothing is to be done. `fail`: it is tried again later. `resume`: by a human. */
export type Step = 'launch' | 'open' | 'stop' | 'fail' | 'rest' | 'park' | 'resume'

const steps: Readonly<Record<SessionState, Partial<Record<Step, SessionState>>>> = {
  idle: { launch: 'launching', park: 'parked' },
  launching: { open: 'live', stop: 'stopping', fail: 'backoff', rest: 'idle', park: 'parked' },
  live: { stop: 'stopping', fail: 'backoff', rest: 'idle', park: 'parked' },
  backoff: { launch: 'launching', rest: 'idle', park: 'parked' },
  stopping: { launch: 'launching', fail: 'backoff', rest: 'idle', park: 'parked' },
  parked: { resume: 'idle' },
}

export const move = (session: { state: SessionState }, step: Step): void => {
  const next = steps[session.state][step]
  assert.ok(next !== undefined, `a session that is ${session.state} cannot ${step}`)
  session.state = next
}
