// The runner as a process: what it promised survives its death, and nothing survives that it did not promise.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { openHouse } from './fixtures/process.ts'

const ready = '{"type":"ready"}'
const isAlive = (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (text) => !text.includes(') Z '),
    () => false,
  )

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean).map(Number)

describe('the process', { timeout: 300_000 }, () => {
  it('has a message on disk before it answers, and answers it once after a kill -9', async (t) => {
    const house = await openHouse(t)
    house.gateway.expected = ['tools']
    const first = await house.run()
    assert.deepEqual(first.told, [ready])
    const id = await house.send('hello')
    await house.kill(first)
    await house.run()
    house.reportSurfaces()
    assert.equal(await house.replyTo(id), 'echo: hello')
    assert.deepEqual(
      (await house.messages()).map(({ text }) => text),
      ['hello', 'echo: hello'],
    )
  })

  it('leaves no sandbox behind when it is killed, and delivers what was in its hands again', async (t) => {
    const house = await openHouse(t)
    const first = await house.run()
    assert.equal(await house.send('hang').then((id) => house.replyTo(id)), 'hanging')
    const sandboxes = await childrenOf(first.child.pid ?? 0)
    assert.equal(sandboxes.length, 1)
    await house.kill(first)
    for (const pid of sandboxes) await waitFor(async () => !(await isAlive(pid)), { what: 'an end of the sandbox' })
    await house.run()
    const session = async () => (await house.caller.calls.sessions({})).items[0]
    await waitFor(async () => (await session())?.state === 'live', { what: 'a sandbox that goes on' })
    assert.equal((await session())?.waiting, 1)
    assert.deepEqual(
      (await house.messages()).map(({ text }) => text),
      ['hang', 'hanging'],
    )
  })

  it('refuses a state directory that another runner holds', async (t) => {
    const house = await openHouse(t)
    await house.run()
    const second = await house.run()
    assert.equal((JSON.parse(second.told[0] ?? '{}') as { exit?: number }).exit, 75)
    assert.equal(await second.exited, 75)
  })

  it('ends its sandboxes and itself when it is told to, and when its supervisor is gone', async (t) => {
    const house = await openHouse(t)
    for (const end of ['SIGTERM', 'pipe'] as const) {
      const started = await house.run()
      await house.replyTo(await house.send('hello'))
      const sandboxes = await childrenOf(started.child.pid ?? 0)
      if (end === 'pipe') started.child.stdio[3]?.destroy()
      else started.child.kill(end)
      assert.equal(await started.exited, 0)
      for (const pid of sandboxes) assert.equal(await isAlive(pid), false)
    }
  })

  it('tells the supervisor how it goes', async (t) => {
    const house = await openHouse(t)
    await house.run()
    await house.replyTo(await house.send('hello'))
    await waitFor(() => house.life.connected(), { what: 'the connection of the supervisor' })
    const { status, facts } = await house.life.calls.health({})
    assert.deepEqual([status, facts['driver'], facts['live']], ['ready', 'none', 1])
    const names = (await house.life.calls.metrics({})).map(({ name }) => name)
    for (const name of ['launches_total', 'launch_duration_seconds', 'kills_total', 'live'])
      assert.ok(names.includes(`gatehouse_sandbox_${name}`))
  })
})
