// What the gateway hears of an applied change: pending, then ready or failed, for each session of the group.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { openUnit, type Unit } from '../fixtures/unit.ts'

const changed = (unit: Unit, narrowing = false): void =>
  unit.gateway.emit('group-changed', { agentGroupID: unit.gateway.group.id, changeID: unit.gateway.changeID, narrowing })

const statuses = (unit: Unit): string[] => unit.gateway.conditions.map(({ status }) => status)

const said = (unit: Unit, ...expected: string[]) =>
  waitFor(() => statuses(unit).length >= expected.length, { what: expected.join(', ') }).then(() =>
    assert.deepEqual(statuses(unit), expected),
  )

describe('the condition of an applied change', { timeout: 300_000 }, () => {
  it('is pending while the sandbox works on, and ready when the next one has made its first request', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hang')
    changed(unit)
    await said(unit, 'pending')
    assert.deepEqual([(await unit.session())?.state, (await unit.session())?.launches], ['live', 1])
    changed(unit, true)
    await said(unit, 'pending', 'pending')
  })

  it('outlives the runner: a new one says ready once its sandbox has made its first request', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hang')
    changed(unit)
    await said(unit, 'pending')
    await unit.stop()
    unit.gateway.conditions.length = 0
    await unit.start()
    await said(unit, 'pending', 'ready')
    await unit.stop()
    unit.gateway.conditions.length = 0
    await unit.start()
    await unit.inState('live')
    assert.deepEqual(statuses(unit), [])
  })

  it('is ready when a narrowing change has reached a busy sandbox', async (t) => {
    const unit = await openUnit(t, { times: { narrowing: 20 } })
    const { sessionId, messageId } = await unit.send('hang')
    await unit.replyTo(messageId)
    changed(unit, true)
    await said(unit, 'pending', 'ready')
    assert.equal((await unit.session())?.launches, 2)
    assert.deepEqual(unit.gateway.conditions[1], { changeID: unit.gateway.changeID, session: sessionId, status: 'ready' })
  })

  it('is ready at once where nothing runs, since the next launch is up to date', async (t) => {
    const unit = await openUnit(t, { times: { idle: 20 } })
    await unit.chat('hello')
    await unit.inState('idle')
    changed(unit)
    await said(unit, 'ready')
  })

  it('is ready when the sandbox ended for another reason before it was replaced', async (t) => {
    const unit = await openUnit(t)
    const { sessionId, messageId } = await unit.send('hang')
    await unit.replyTo(messageId)
    changed(unit)
    await unit.terminate(sessionId)
    await said(unit, 'pending', 'ready')
  })

  it('is failed with the reason where the session is parked, before the change or by it', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hang')
    unit.gateway.group.agent = 'model'
    changed(unit, false)
    unit.reconnect()
    const { sessionId } = await unit.send('more')
    await unit.stop()
    await unit.start()
    await unit.inState('parked')
    await waitFor(() => statuses(unit).includes('failed'), { what: 'a failure' })
    assert.match(unit.gateway.conditions.find(({ status }) => status === 'failed')?.reason ?? '', /needs a sandbox/)
    unit.gateway.conditions.length = 0
    changed(unit)
    await said(unit, 'failed')
    assert.equal(unit.gateway.conditions[0]?.session, sessionId)
  })

  it('is told for each session of the group and for no other group', async (t) => {
    const unit = await openUnit(t, { times: { idle: 20 } })
    for (const conversation of ['a', 'b']) await unit.replyTo((await unit.send('hello', conversation)).messageId)
    await waitFor(async () => (await unit.allSessions()).every(({ state }) => state === 'idle'), { what: 'idle sessions' })
    unit.gateway.emit('group-changed', { agentGroupID: 'others' as never, changeID: unit.gateway.changeID, narrowing: false })
    changed(unit)
    await said(unit, 'ready', 'ready')
    assert.equal(new Set(unit.gateway.conditions.map(({ session }) => session)).size, 2)
  })

  it('reaches a gateway that was away', async (t) => {
    const unit = await openUnit(t, { times: { idle: 20 } })
    await unit.chat('hello')
    await unit.inState('idle')
    unit.gateway.down = true
    changed(unit)
    unit.gateway.down = false
    await said(unit, 'ready')
  })

  it('that nobody wants to know any more is dropped', async (t) => {
    const unit = await openUnit(t, { times: { idle: 20 } })
    await unit.chat('hello')
    await unit.inState('idle')
    const { condition } = unit.gateway.handlers
    let asked = 0
    Object.assign(unit.gateway.handlers, {
      condition: (...args: Parameters<typeof condition>) => {
        asked += 1
        if (asked === 1) throw new ServiceError('not-found')
        return condition(...args)
      },
    })
    changed(unit)
    changed(unit)
    await said(unit, 'ready')
    assert.equal(asked, 2)
  })
})
