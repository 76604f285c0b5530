// An agent takes back what it asked for, by the socket of its session.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, openRoom } from '../fixtures/room.ts'

describe('session.sock', { timeout: 60_000 }, () => {
  it('passes a withdrawal on as that of its own session, and that it is too late', async (t) => {
    const { unit, call } = await openRoom(t)
    const [session] = unit.gateway.sessions.keys()
    const path = `/changes/${unit.gateway.changeID}/withdraw`
    const { status, body } = await call({ method: 'POST', path, body: '{"reason":"found another way"}' })
    assert.deepEqual({ status, body }, { status: 200, body: { id: unit.gateway.changeID, state: 'withdrawn' } })
    assert.deepEqual(unit.gateway.withdrawn, [{ session, id: unit.gateway.changeID, reason: 'found another way' }])
    unit.gateway.changeState = 'rejected'
    assert.equal(codeOf(await call({ method: 'POST', path, body: '{}' })), 'change-already-decided')
    for (const wrong of [{ body: '{"session":"ses_zzzzzzzzzzzzz"}' }, { body: 'null' }])
      assert.equal(codeOf(await call({ method: 'POST', path, ...wrong })), 'invalid')
    assert.equal(codeOf(await call({ method: 'GET', path })), 'method-not-allowed')
  })
})
