// The same life behind real walls: a sandbox by bubblewrap, from the assembled root file system.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { assembleRootfs } from '@gatehouse/engine'
import { waitFor } from '@gatehouse/kernel'
import { FakeGateway } from '../fixtures/gateway.ts'
import { choice, home } from '../fixtures/sealed.ts'
import { agentPath, openUnit, type Unit } from '../fixtures/unit.ts'

const built = join(import.meta.dirname, '../../../../dist/agent.mjs')

const missing = 'refused' in choice ? choice.refused : false

/** Made once for each agent. */
const rootfsOf = async (agent: string): Promise<string> => {
  const target = join(home, agent === built ? 'real' : 'fixture')
  await assembleRootfs({ target, node: process.execPath, files: [{ source: agent, target: '/agent/agent.mjs' }] })
  return target
}

const openSealed = async (t: TestContext, agent: string): Promise<Unit> => {
  if ('refused' in choice) throw new Error(choice.refused)
  const gateway = new FakeGateway()
  if (process.geteuid?.() === 0) gateway.identity = { uid: 70_001, gid: 70_001 }
  return openUnit(t, { driver: choice.driver, gateway, rootfs: await rootfsOf(agent), sandbox: 'bubblewrap' })
}

describe('a sandbox by bubblewrap', { timeout: 300_000, skip: missing }, () => {
  it('answers, is relaunched after a change, and delivers again what died in its hands', async (t) => {
    const unit = await openSealed(t, agentPath)
    assert.equal(await unit.chat('hello'), 'echo: hello')
    assert.equal(await unit.chat('persona'), 'first')
    unit.gateway.group.persona = 'second'
    unit.gateway.emit('group-changed', { agentGroupID: unit.gateway.group.id, changeID: unit.gateway.changeID, narrowing: false })
    assert.equal(await unit.chat('persona'), 'second')
    await unit.send('exit 4')
    assert.equal((await unit.inState('parked')).waiting, 1)
  })

  it('runs the real agent, which answers each message once', { skip: !existsSync(built) && 'the agent is not built' }, async (t) => {
    const unit = await openSealed(t, built)
    const sent = await Promise.all(Array.from({ length: 10 }, (_, index) => unit.send(`message ${index}`)))
    for (const { messageId } of sent) assert.match(await unit.replyTo(messageId), /^echo: message \d$/)
    await waitFor(async () => (await unit.session())?.waiting === 0, { what: 'nothing that waits' })
    assert.equal((await unit.messages()).length, 20)
    assert.equal((await unit.session())?.launches, 1)
  })

  it('tells the real agent what became of its request', { skip: !existsSync(built) && 'the agent is not built' }, async (t) => {
    const unit = await openSealed(t, built)
    assert.match(await unit.chat('request:mcp_access {"server":"sample","tools":["echo"]}'), /chg_/)
    const { id } = (await unit.session())!
    unit.gateway.emit('change-decided', { session: id, id: unit.gateway.changeID, state: 'applied', kind: 'mcp_access' })
    await waitFor(async () => (await unit.session())?.waiting === 0 && (await unit.texts()).some((text) => text.endsWith('was applied')), {
      what: 'a decision that was taken',
    })
    assert.equal((await unit.inState('live')).launches, 1)
  })
})
