// The life of sandboxes: warm, idle, relaunched, restarted, parked, drained.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { defaultLimits, type Driver } from '@gatehouse/engine'
import { waitFor } from '@gatehouse/kernel'
import { noDriver, openUnit, type Unit } from '../fixtures/unit.ts'
import { launched, quiet } from '../fixtures/waits.ts'

const fixtures = join(import.meta.dirname, '../fixtures')

const changed = (unit: Unit, narrowing = false): void =>
  unit.gateway.emit('group-changed', { agentGroupID: unit.gateway.group.id, changeID: unit.gateway.changeID, narrowing })

const stages = (unit: Unit): string[] => unit.gateway.notes.map(({ stage }) => stage)

describe('a sandbox', { timeout: 300_000 }, () => {
  it('is stopped when it has long had nothing to do, and started again by the next message', async (t) => {
    const unit = await openUnit(t, { times: { idle: 50 } })
    await unit.chat('one')
    const idle = await unit.inState('idle')
    assert.equal(idle.lastExit, 'stopped: idle')
    assert.equal(await unit.chat('two'), 'echo: two')
    assert.equal((await unit.session())?.launches, 2)
  })

  it('is replaced at once by a changed group when it is quiet, so that it stays warm and up to date', async (t) => {
    const unit = await openUnit(t)
    assert.equal(await unit.chat('persona'), 'first')
    await quiet(unit)
    unit.gateway.group.persona = 'second'
    changed(unit)
    await launched(unit, 2)
    assert.equal(await unit.chat('persona'), 'second')
    assert.equal((await unit.session())?.launches, 2)
  })

  it('is not replaced while it works on a message, when the change takes nothing away', async (t) => {
    const unit = await openUnit(t, { times: { narrowing: 10 } })
    assert.equal(await unit.chat('hang'), 'hanging')
    changed(unit)
    await unit.send('later')
    const { launches, state, waiting } = (await unit.session())!
    assert.deepEqual({ launches, state, waiting }, { launches: 1, state: 'live', waiting: 2 })
    assert.deepEqual(await unit.texts(), ['hang', 'hanging', 'later'])
  })

  it('is replaced busy or not when the change takes something away, and its message is delivered again', async (t) => {
    const unit = await openUnit(t, { times: { narrowing: 20 } })
    assert.equal(await unit.chat('hang'), 'hanging')
    changed(unit, true)
    await launched(unit, 2)
    assert.equal((await unit.session())?.waiting, 1)
    assert.ok(unit.gateway.notes.some(({ stage, detail }) => stage === 'kill' && detail['why'] === 'narrowed'))
  })

  it('gives what is accepted after a change to the replacement', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('persona')
    await quiet(unit)
    unit.gateway.group.persona = 'second'
    changed(unit)
    assert.equal(await unit.chat('persona'), 'second')
  })

  it('is started again when it dies in the middle of a message, which it gets again', async (t) => {
    const unit = await openUnit(t)
    await unit.send('exit 3')
    await launched(unit, 3)
    assert.equal((await unit.session())?.waiting, 1)
    assert.ok(unit.gateway.notes.some(({ stage, detail }) => stage === 'exit' && detail['code'] === 3))
  })

  it('parks its session after five failures, says so in the conversation, and keeps the message', async (t) => {
    const unit = await openUnit(t)
    await unit.send('exit 3')
    const parked = await unit.inState('parked')
    assert.equal(parked.launches, 5)
    assert.equal(parked.waiting, 1)
    assert.match(parked.lastExit ?? '', /parked: .*exited with code 3/)
    const said = await waitFor(async () => (await unit.messages()).find(({ from }) => from === 'system'), { what: 'a word about it' })
    assert.match(said.text, /parked.*5 times/)
    assert.equal(stages(unit).filter((stage) => stage === 'park').length, 1)
    await unit.send('more')
    assert.equal((await unit.session())?.state, 'parked')
    assert.equal((await unit.session())?.waiting, 2)
  })

  it('is given up when it asks for nothing after its launch', async (t) => {
    const unit = await openUnit(t, { driver: await noDriver(join(fixtures, 'silent.mjs')), times: { launch: 20 } })
    await unit.send('hello')
    assert.match((await unit.inState('parked')).lastExit ?? '', /asked for nothing/)
    assert.equal(unit.gateway.notes.filter(({ stage, detail }) => stage === 'kill' && detail['why'] === 'unresponsive').length, 5)
  })

  it('is ended by a stop of the runner, with nothing left behind but its message', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hang')
    const socket = `${unit.runDir}/session/${(await unit.session())?.id}/session.sock`
    assert.ok(existsSync(socket))
    await unit.stop()
    assert.ok(!existsSync(socket))
    assert.deepEqual(stages(unit), ['launch', 'exit'])
    await unit.start()
    await waitFor(async () => (await unit.session())?.waiting === 1 && (await unit.inState('live')), { what: 'a session that goes on' })
  })
})

describe('a launch', { timeout: 300_000 }, () => {
  it('waits until every expected surface is reported', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.expected = ['tools']
    const { sessionId, messageId } = await unit.send('hello')
    await unit.inState('launching')
    assert.deepEqual(stages(unit), [])
    unit.gateway.sessions.get(sessionId)?.reported.push('tools')
    unit.gateway.emit('surface-ready', { session: sessionId })
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
  })

  it('is tried again for ever while the host itself is not ready, and never parks for that', async (t) => {
    const unit = await openUnit(t, { times: { surfaces: 5 } })
    unit.gateway.expected = ['tools']
    const { sessionId, messageId } = await unit.send('hello')
    await waitFor(() => unit.lines.filter((line) => line.includes('launch postponed')).length > 6, { what: 'seven attempts' })
    unit.gateway.sessions.get(sessionId)?.reported.push('tools')
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
  })

  it('mounts what the session may use and nothing else', async (t) => {
    const specs: Parameters<Driver['launch']>[0][] = []
    const real = await noDriver()
    const driver: Driver = { ...real, launch: (spec) => (specs.push(spec), real.launch(spec)) }
    const unit = await openUnit(t, { driver })
    await unit.chat('hello')
    const { id } = (await unit.session())!
    assert.deepEqual(specs[0]?.mounts, [
      { source: `${unit.stateDir}/groups/dev-agent/workspace`, target: '/workspace', mode: 'rw' },
      { source: `${unit.stateDir}/groups/dev-agent/memory`, target: '/memory', mode: 'rw' },
      { source: `${unit.stateDir}/groups/dev-agent/shared`, target: '/shared', mode: 'ro' },
      { source: `${unit.runDir}/session/${id}`, target: '/run/gatehouse/session', mode: 'ro' },
    ])
    assert.deepEqual(specs[0]?.env, {})
    assert.deepEqual(specs[0]?.command, ['/bin/node', '/agent/agent.mjs'])
  })

  it('gives a sandbox the limits of its group, and those of a group without any the standard ones', async (t) => {
    const specs: Parameters<Driver['launch']>[0][] = []
    const real = await noDriver()
    const unit = await openUnit(t, { driver: { ...real, launch: (spec) => (specs.push(spec), real.launch(spec)) } })
    await unit.chat('hello')
    assert.deepEqual(specs[0]?.limits, { ...defaultLimits, pids: defaultLimits.processes })
    await quiet(unit)
    unit.gateway.group.limits = { memoryMiB: 256, cpus: 0.5, processes: 100 }
    changed(unit)
    await launched(unit, 2)
    assert.deepEqual(specs[1]?.limits, { ...defaultLimits, memoryMiB: 256, cpus: 0.5, processes: 100, pids: 100 })
  })

  it('never gives an agent with a model to the driver without walls', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.group.agent = 'model'
    await unit.send('hello')
    assert.match((await unit.inState('parked')).lastExit ?? '', /needs a sandbox/)
  })

  it('is refused at once, with what to do, where its agent uses a model and has none', async (t) => {
    const real = await noDriver()
    const unit = await openUnit(t, { driver: { ...real, name: 'bubblewrap' } })
    unit.gateway.group.agent = 'model'
    await unit.send('hello')
    const parked = await unit.inState('parked')
    assert.equal(parked.launches, 0)
    assert.match(parked.lastExit ?? '', /no model is approved for its group/)
    assert.match(parked.fix ?? '', /svcctl change submit permissions --group dev-agent --model PROVIDER/)
    unit.gateway.group.model = { provider: 'anthropic', id: 'm' }
    await unit.resume(parked.id)
    const again = await unit.inState('parked')
    assert.match(again.lastExit ?? '', /the unit has a key for no provider/)
    assert.match(again.fix ?? '', /give the unit the key of anthropic/)
  })

  it('is refused where something else lies beside the socket', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hello')
    await unit.stop()
    const [id] = unit.gateway.sessions.keys()
    await writeFile(`${unit.runDir}/session/${id}/planted`, '')
    await unit.start()
    await unit.send('again')
    assert.match((await unit.inState('parked')).lastExit ?? '', /nothing .* but the host's own socket/)
  })

  it('is not made for a session that the gateway has forgotten', async (t) => {
    const unit = await openUnit(t, { times: { surfaces: 5 } })
    unit.gateway.expected = ['tools']
    await unit.send('hello')
    unit.gateway.sessions.clear()
    await waitFor(async () => (await unit.session()) === undefined, { what: 'no session' })
    assert.deepEqual(await unit.texts(), ['hello'])
  })
})

describe('posture', { timeout: 300_000 }, () => {
  it('off: refuses messages with what to do, and reads what was said', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hello')
    await unit.stop()
    await unit.start({ sandbox: 'off' })
    await assert.rejects(unit.send('more'), { code: 'no-sandbox', hint: /--sandbox/ })
    assert.deepEqual(await unit.texts(), ['hello', 'echo: hello'])
    assert.equal((await unit.posture()).status, 'off')
    assert.deepEqual((await unit.health()).degraded, [])
  })

  it('refused: says why, degrades and takes no message', async (t) => {
    const unit = await openUnit(t, { driver: { refused: 'install runsc' } })
    await waitFor(async () => (await unit.posture()).reason === 'install runsc', { what: 'a verdict' })
    await assert.rejects(unit.send('hello'), { code: 'no-sandbox', message: /install runsc/ })
    const { status, degraded } = await unit.health()
    assert.deepEqual({ status, degraded }, { status: 'degraded', degraded: ['sandbox'] })
  })

  it('names the missing walls of the driver', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hello')
    const { driver, status, missing } = await unit.posture()
    assert.deepEqual({ driver, status }, { driver: 'none', status: 'ok' })
    assert.ok(missing.includes('network'))
    const { facts } = await unit.health()
    assert.equal(facts['live'], 1)
  })

  it('takes messages while the driver is still being chosen, and removes strays before the first launch', async (t) => {
    const real = await noDriver()
    const prepared = Promise.withResolvers<string>()
    const order: string[] = []
    const driver: Driver = {
      ...real,
      prepare: () => prepared.promise,
      reconcile: async (unitId) => (order.push(`reconcile ${unitId}`), 1),
      launch: (spec) => (order.push('launch'), real.launch(spec)),
    }
    const unit = await openUnit(t, { driver })
    const { messageId } = await unit.send('hello')
    assert.deepEqual(order, [])
    prepared.resolve('/')
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
    assert.deepEqual(order, [`reconcile ${unit.unitId}`, 'launch'])
  })
})

describe('a decision', { timeout: 300_000 }, () => {
  const decision = (unit: Unit, session: string) =>
    unit.gateway.emit('change-decided', { session: session as never, id: unit.gateway.changeID, state: 'applied', kind: 'mcp_access' })

  it('reaches the agent that asked as one message, however often it is told', async (t) => {
    const unit = await openUnit(t)
    assert.match(await unit.chat('request {"kind":"mcp_access","after":{}}'), /^202 \{"id":"chg_[\d.]+","state":"held"\}$/)
    const { id } = (await unit.session())!
    decision(unit, id)
    decision(unit, id)
    await waitFor(async () => (await unit.session())?.waiting === 0 && (await unit.texts()).length >= 3, { what: 'an agent that took it' })
    assert.deepEqual(
      (await unit.texts()).filter((text) => text.startsWith('change ')),
      [`change ${unit.gateway.changeID} (mcp_access) was applied`],
    )
  })

  it('that was made while nobody listened is asked for at the next connection', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('request {"kind":"mcp_access","after":{}}')
    await unit.stop()
    unit.gateway.changeState = 'rejected'
    await unit.start()
    const told = await waitFor(async () => (await unit.messages()).find(({ from }) => from === 'system'), { what: 'a word' })
    assert.equal(told.text, `change ${unit.gateway.changeID} (mcp_access) was rejected`)
    unit.reconnect()
    await waitFor(async () => (await unit.session())?.waiting === 0, { what: 'an agent that took it' })
    assert.equal((await unit.messages()).filter(({ from }) => from === 'system').length, 1)
  })
})
