// What becomes of a sandbox when the connection to the gateway was lost: it stays, unless its group is another since.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { openUnit } from '../fixtures/unit.ts'
import { launched, quiet } from '../fixtures/waits.ts'

describe('a sandbox whose gateway was away', { timeout: 300_000 }, () => {
  it('stays when the connection to the gateway was lost and nothing was changed meanwhile', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('one')
    await quiet(unit)
    unit.reconnect()
    await waitFor(() => unit.gateway.reads > 1, { what: 'a runner that has asked again' })
    assert.equal(await unit.chat('two'), 'echo: two')
    assert.equal((await unit.session())?.launches, 1)
  })

  it('is replaced when a change went unheard while the connection to the gateway was lost', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('one')
    await quiet(unit)
    unit.gateway.group.persona = 'second'
    unit.gateway.applied += 1
    unit.reconnect()
    await launched(unit, 2)
    assert.equal(await unit.chat('persona'), 'second')
  })

  it('is replaced when its group is another after the loss, though as many changes were applied', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('one')
    await quiet(unit)
    unit.gateway.group.persona = 'of a backup'
    unit.reconnect()
    await launched(unit, 2)
    assert.equal(await unit.chat('persona'), 'of a backup')
  })

  it('is replaced also where a freeze that is told at once asks a second time', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('one')
    await quiet(unit)
    const { session } = unit.gateway.handlers
    let asked = 0
    Object.assign(unit.gateway.handlers, {
      session: (...args: Parameters<typeof session>) => {
        asked += 1
        if (asked === 1) unit.gateway.emit('freeze-changed', {})
        return session(...args)
      },
    })
    unit.gateway.group.persona = 'second'
    unit.gateway.applied += 1
    unit.reconnect()
    await launched(unit, 2)
    assert.equal(await unit.chat('persona'), 'second')
  })
})
