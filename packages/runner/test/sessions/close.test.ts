// Sessions that end before their time: closed by the gateway, terminated by an operator; and those that a human lets work again.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { SessionID } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { noDriver, openUnit } from '../fixtures/unit.ts'

const nobody = 'ses_zzzzzzzzzzzzz' as SessionID

describe('a session that the gateway has closed', { timeout: 300_000 }, () => {
  it('loses its sandbox, busy or not, and the next message opens another session', async (t) => {
    const unit = await openUnit(t)
    const { sessionId, messageId } = await unit.send('hang')
    assert.equal(await unit.replyTo(messageId), 'hanging')
    unit.gateway.close(sessionId)
    await waitFor(() => unit.gateway.notes.some(({ stage, detail }) => stage === 'kill' && detail['why'] === 'terminate'), {
      what: 'an end',
    })
    await waitFor(() => !existsSync(`${unit.runDir}/session/${sessionId}/session.sock`), { what: 'a closed door' })
    const next = await unit.send('hello')
    assert.notEqual(next.sessionId, sessionId)
    assert.equal(await unit.replyTo(next.messageId), 'echo: hello')
    assert.deepEqual(await unit.texts(), ['hang', 'hanging', 'hello', 'echo: hello'])
    assert.deepEqual(
      (await unit.allSessions()).map(({ id }) => id),
      [next.sessionId],
    )
  })

  it('is not worked for after a restart of the runner, and can still be read', async (t) => {
    const unit = await openUnit(t)
    const { sessionId, messageId } = await unit.send('hang')
    await unit.replyTo(messageId)
    unit.gateway.close(sessionId)
    await unit.stop()
    await unit.start()
    assert.deepEqual(await unit.allSessions(), [])
    assert.deepEqual(await unit.texts(), ['hang', 'hanging'])
  })

  it('ends at the next connection when the word was lost', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hang')
    unit.gateway.sessions.clear()
    unit.reconnect()
    await waitFor(() => unit.gateway.notes.some(({ stage }) => stage === 'kill'), { what: 'an end' })
    assert.deepEqual(await unit.allSessions(), [])
  })

  it('is not opened again by an answer that was on its way', async (t) => {
    const unit = await openUnit(t)
    const { openSession } = unit.gateway.handlers
    let first = true
    Object.assign(unit.gateway.handlers, {
      openSession: async (...args: Parameters<typeof openSession>) => {
        const session = await openSession(...args)
        if (first) unit.gateway.close(session.id)
        first = false
        return session
      },
    })
    const { sessionId, messageId } = await unit.send('hello')
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
    assert.ok(unit.gateway.sessions.has(sessionId))
  })
})

describe('a terminate', { timeout: 300_000 }, () => {
  it('resolves when the sandbox is gone', async (t) => {
    const unit = await openUnit(t)
    const { sessionId, messageId } = await unit.send('hang')
    await unit.replyTo(messageId)
    await unit.terminate(sessionId)
    assert.equal((await unit.health()).facts['live'], 0)
    assert.deepEqual(
      unit.gateway.notes.map(({ stage, detail }) => [stage, detail['why']]),
      [
        ['launch', undefined],
        ['kill', 'terminate'],
      ],
    )
  })

  it('does not wait for the next attempt of a session whose sandbox failed', async (t) => {
    const unit = await openUnit(t, { times: { restartFirst: 600_000, restartMost: 600_000 } })
    const { sessionId } = await unit.send('exit 3')
    await unit.inState('backoff')
    await unit.terminate(sessionId)
    assert.deepEqual(await unit.allSessions(), [])
  })

  it('of a session that never had a sandbox, or that nobody knows, is done at once', async (t) => {
    const unit = await openUnit(t)
    unit.gateway.frozen = true
    const { sessionId } = await unit.send('hello')
    await unit.terminate(sessionId)
    await unit.terminate(nobody)
  })
})

describe('a resume', { timeout: 300_000 }, () => {
  it('lets a parked session work again, its failures forgotten', async (t) => {
    const unit = await openUnit(t)
    const { sessionId } = await unit.send('exit 3')
    await unit.inState('parked')
    await unit.stop()
    await unit.start({ driver: await noDriver('/dev/null') })
    await unit.inState('parked')
    const before = unit.gateway.notes.filter(({ stage }) => stage === 'launch').length
    await unit.resume(sessionId)
    await waitFor(() => unit.gateway.notes.filter(({ stage }) => stage === 'launch').length >= before + 5, { what: 'five more launches' })
    assert.equal((await unit.inState('parked')).waiting, 1)
  })

  it('reads a queue whose files were put back, and refuses while they are missing', async (t) => {
    const unit = await openUnit(t)
    const { sessionId, messageId } = await unit.send('hang')
    await unit.replyTo(messageId)
    await unit.stop()
    const file = `${unit.stateDir}/keys/${sessionId}.key`
    await rename(file, `${file}.away`)
    await unit.start()
    await unit.inState('parked')
    await assert.rejects(unit.resume(sessionId), { code: 'conflict', hint: /Restore/ })
    assert.equal((await unit.session())?.state, 'parked')
    await rename(`${file}.away`, file)
    await unit.resume(sessionId)
    assert.equal((await unit.inState('live')).waiting, 1)
  })

  it('of a session that works changes nothing, and of one that nobody has is not found', async (t) => {
    const unit = await openUnit(t)
    const { sessionId, messageId } = await unit.send('hello')
    await unit.replyTo(messageId)
    await unit.resume(sessionId)
    assert.equal((await unit.session())?.launches, 1)
    await assert.rejects(unit.resume(nobody), { code: 'not-found' })
    await unit.terminate(sessionId)
    await assert.rejects(unit.resume(sessionId), { code: 'not-found' })
  })
})
