// The states of a session.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessionStates } from '@gatehouse/contracts'
import { move, type SessionState, type Step } from '../../src/session/run.ts'

const after = (...steps: Step[]): SessionState => {
  const session: { state: SessionState } = { state: 'idle' }
  for (const step of steps) move(session, step)
  return session.state
}

describe('the states of a session', () => {
  it('go from idle through launching to live and back', () => {
    assert.equal(after('launch'), 'launching')
    assert.equal(after('launch', 'open'), 'live')
    assert.equal(after('launch', 'open', 'stop', 'rest'), 'idle')
  })

  it('go from stopping straight to launching for a relaunch', () => {
    assert.equal(after('launch', 'open', 'stop', 'launch'), 'launching')
  })

  it('go to backoff after a failure, and to launching from there', () => {
    assert.equal(after('launch', 'fail'), 'backoff')
    assert.equal(after('launch', 'open', 'fail', 'launch'), 'launching')
  })

  it('let nothing but a resume out of parked', () => {
    assert.equal(after('park', 'resume'), 'idle')
    for (const step of ['launch', 'open', 'stop', 'fail', 'rest', 'park'] as const)
      assert.throws(() => after('park', step), /parked cannot/)
  })

  it('refuse a second launch while one runs', () => {
    for (const steps of [
      ['launch', 'launch'],
      ['launch', 'open', 'launch'],
    ] as const)
      assert.throws(() => after(...steps), /cannot launch/)
  })

  it('resume nothing that is not parked', () => {
    for (const steps of [[], ['launch'], ['launch', 'open'], ['launch', 'fail']] as const)
      assert.throws(() => after(...steps, 'resume'), /cannot resume/)
  })

  it('are those that people are shown', () => {
    const seen = [after(), after('launch'), after('launch', 'open'), after('launch', 'fail'), after('park'), after('launch', 'stop')]
    assert.deepEqual(new Set(seen), new Set(sessionStates))
  })
})
