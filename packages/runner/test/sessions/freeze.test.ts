// What a freeze stops, what it leaves alone, and what goes on when it is lifted.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Driver } from '@gatehouse/engine'
import { waitFor } from '@gatehouse/kernel'
import { type Answer, ask } from '../fixtures/door.ts'
import { noDriver, openUnit, type Unit } from '../fixtures/unit.ts'
import { quiet } from '../fixtures/waits.ts'

const launches = async (unit: Unit): Promise<number | undefined> => (await unit.session())?.launches

const knowsOfFreeze = (unit: Unit) =>
  waitFor(async () => (await unit.health()).facts['frozen'] === 1, { what: 'a session that knows of the freeze' })

describe('a freeze', { timeout: 300_000 }, () => {
  it('lets messages in and launches nothing for them, until it is lifted', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.frozen = true
    const sent = [await unit.send('one'), await unit.send('two')]
    await knowsOfFreeze(unit)
    const { state, waiting } = await unit.inState('idle')
    assert.deepEqual([state, waiting, await launches(unit)], ['idle', 2, 0])
    unit.gateway.freeze(false)
    for (const [index, { messageId }] of sent.entries()) assert.equal(await unit.replyTo(messageId), `echo: ${['one', 'two'][index]}`)
    assert.deepEqual(
      (await unit.messages()).filter(({ from }) => from === 'user').map(({ text }) => text),
      ['one', 'two'],
    )
  })

  it('leaves a sandbox that runs alone, hands it nothing new, and the lift hands it what waits', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('before')
    await quiet(unit)
    unit.gateway.freeze(true)
    await knowsOfFreeze(unit)
    const { messageId } = await unit.send('meanwhile')
    const { state, waiting } = (await unit.session())!
    assert.deepEqual([state, waiting], ['live', 1])
    unit.gateway.freeze(false)
    assert.equal(await unit.replyTo(messageId), 'echo: meanwhile')
    assert.equal(await launches(unit), 1)
  })

  it('that is set while a launch is prepared keeps the sandbox from starting', async (t) => {
    const real = await noDriver()
    const prepared = Promise.withResolvers<string>()
    const unit = await openUnit(t, { driver: { ...real, prepare: () => prepared.promise } })
    await unit.send('hello')
    await unit.inState('launching')
    unit.gateway.freeze(true)
    prepared.resolve('/')
    await unit.inState('idle')
    assert.deepEqual(unit.gateway.notes, [])
    unit.gateway.freeze(false)
    await unit.inState('live')
  })

  it('that is set at the last moment of a preparation keeps the sandbox from starting', async (t) => {
    const real = await noDriver()
    let first = true
    const driver: Driver = {
      ...real,
      owner: (identity) => {
        if (first) unit.gateway.freeze(true)
        first = false
        return real.owner(identity)
      },
    }
    const unit = await openUnit(t, { driver })
    await unit.send('hello')
    await knowsOfFreeze(unit)
    await unit.inState('idle')
    assert.deepEqual(unit.gateway.notes, [])
  })

  it('hands nothing new to a sandbox that asks, and its lift answers the poll that waits', async (t) => {
    const unit = await openUnit(t, { driver: await noDriver(join(import.meta.dirname, '../fixtures/silent.mjs')) })
    const { sessionId } = await unit.send('before')
    const socket = `${unit.runDir}/session/${sessionId}/session.sock`
    const get = (path: string) => ask(socket, { method: 'GET', path })
    const texts = ({ body }: Answer) => (body as { messages: { text: string }[] }).messages.map(({ text }) => text)
    await waitFor(() => get('/session').catch(() => undefined), { what: 'an open door' })
    unit.gateway.freeze(true)
    await knowsOfFreeze(unit)
    assert.deepEqual(texts(await get('/inbox')), [])
    const poll = get('/inbox?wait=20')
    for (let time = 0; time < 20; time += 1) await get('/session')
    unit.gateway.freeze(false)
    assert.deepEqual(texts(await poll), ['before'])
    unit.gateway.freeze(true)
    await knowsOfFreeze(unit)
    await unit.send('meanwhile')
    assert.deepEqual(texts(await get('/inbox')), ['before'])
  })

  it('that is lifted before the answer about it was read holds nobody up', async (t) => {
    const unit = await openUnit(t)
    const { session } = unit.gateway.handlers
    let asked = 0
    Object.assign(unit.gateway.handlers, {
      session: async (...args: Parameters<typeof session>) => {
        asked += 1
        if (asked > 1) return session(...args)
        const answer = { ...(await session(...args)), frozen: true }
        unit.gateway.freeze(false)
        await setImmediate()
        return answer
      },
    })
    const { messageId } = await unit.send('hello')
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
  })

  it('keeps a sandbox that is out of date until the lift, which then replaces it', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('persona')
    await quiet(unit)
    unit.gateway.freeze(true)
    await knowsOfFreeze(unit)
    unit.gateway.group.persona = 'second'
    unit.gateway.applied += 1
    unit.reconnect()
    await waitFor(() => unit.gateway.reads > 1, { what: 'a runner that has asked again' })
    const { messageId } = await unit.send('persona')
    assert.deepEqual([(await unit.session())?.state, await launches(unit)], ['live', 1])
    unit.gateway.freeze(false)
    assert.equal(await unit.replyTo(messageId), 'second')
    assert.equal(await launches(unit), 2)
  })

  it('does not let a sandbox that dies under it come back before the lift', async (t) => {
    const real = await noDriver()
    let exits: (() => Promise<unknown>) | undefined
    const driver: Driver = {
      ...real,
      launch: async (spec) => {
        const sandbox = await real.launch(spec)
        exits = () => sandbox.stop()
        return sandbox
      },
    }
    const unit = await openUnit(t, { driver })
    await unit.chat('hang')
    unit.gateway.freeze(true)
    await knowsOfFreeze(unit)
    await exits?.()
    const { waiting } = await unit.inState('idle')
    assert.deepEqual([waiting, await launches(unit)], [1, 1])
    unit.gateway.freeze(false)
    await unit.inState('live')
    assert.equal(await launches(unit), 2)
  })

  it('that was lifted while nobody listened is noticed at the next connection', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.frozen = true
    const { messageId } = await unit.send('hello')
    await knowsOfFreeze(unit)
    await unit.inState('idle')
    unit.gateway.frozen = false
    unit.reconnect()
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
  })

  it('outlives the runner: what waits still waits after its restart', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.frozen = true
    const { messageId } = await unit.send('hello')
    await unit.stop()
    await unit.start()
    await knowsOfFreeze(unit)
    await unit.inState('idle')
    assert.equal(await launches(unit), 0)
    unit.gateway.freeze(false)
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
  })
})
