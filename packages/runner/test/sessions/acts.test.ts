// What people do to a session besides talking: cancel a turn, read what was printed, delete what is over.
import assert from 'node:assert/strict'
import { readdir, rename } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { isServiceError, limits, type SessionID } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { SessionOutput } from '../../src/session/session.ts'
import { openUnit } from '../fixtures/unit.ts'

const code = (wanted: string) => (error: unknown) => isServiceError(error) && error.code === wanted
const nobody = 'ses_zzzzzzzzzzzzz' as SessionID

describe('a turn that is cancelled', () => {
  it('is not tried again, is said so, and what else waits is answered by another sandbox', async (t) => {
    const unit = await openUnit(t)
    const { messageId, sessionId } = await unit.send('hang')
    assert.equal(await unit.replyTo(messageId), 'hanging')
    const next = await unit.send('hello')
    await unit.cancel(sessionId)
    assert.equal(await unit.replyTo(next.messageId), 'echo: hello')
    await waitFor(async () => (await unit.session())?.waiting === 0, { what: 'nothing that waits', deadline: 120_000 })
    assert.equal((await unit.session())?.launches, 2)
    const said = (await unit.messages()).filter(({ from }) => from === 'system')
    assert.deepEqual(
      said.map(({ inReplyTo, text }) => [inReplyTo, text.includes('cancelled')]),
      [[messageId, true]],
    )
  })

  it('must be one that is worked on', async (t) => {
    const unit = await openUnit(t)
    await assert.rejects(unit.cancel(nobody), code('not-found'))
    await unit.chat('hello')
    const { id } = (await unit.session())!
    await waitFor(async () => (await unit.session())?.waiting === 0, { what: 'nothing that waits', deadline: 120_000 })
    await assert.rejects(unit.cancel(id), code('conflict'))
    assert.equal((await unit.session())?.launches, 1)
  })
})

describe('what the sandboxes of a session print', () => {
  it('is kept for an operator, with the sandbox that printed it', async (t) => {
    const unit = await openUnit(t)
    assert.equal(await unit.chat('print some words'), 'printed')
    const { id } = (await unit.session())!
    const { lines, dropped } = await waitFor(
      async () => {
        const found = await unit.logs(id)
        return found.lines.length > 0 && found
      },
      { what: 'a line', deadline: 120_000 },
    )
    assert.deepEqual([lines.map(({ text }) => text), dropped], [['some words'], 0])
    assert.match(lines[0]?.sandbox ?? '', new RegExp(`^${id}-`))
    assert.throws(() => unit.runner.controlPlane.logs({ session: nobody, limit: 1 }, {} as never), code('not-found'))
  })

  it('is bounded by lines, by their length and in all', () => {
    const output = new SessionOutput()
    for (let index = 0; index < limits.sessionLogLines + 5; index += 1) output.add('s', `line ${index}`)
    assert.equal(output.last(1)?.lines[0]?.text, `line ${limits.sessionLogLines + 4}`)
    assert.equal(output.last(Infinity).lines.length, limits.sessionLogLines)
    assert.equal(output.last(1).dropped, 5)
    for (let index = 0; index < 100; index += 1) output.add('s', 'x'.repeat(1_000_000))
    const { lines } = output.last(Infinity)
    assert.ok(lines.reduce((sum, { text }) => sum + text.length, 0) <= limits.sessionLog)
    assert.ok(lines.every(({ text }) => text.length <= limits.sessionLogLine))
  })
})

describe('a session that is purged', () => {
  it('leaves neither key nor queue, and no number is given twice after it', async (t) => {
    const unit = await openUnit(t)
    const { messageId } = await unit.send('hello', 'other')
    await unit.replyTo(messageId)
    const other = (await unit.session())!.id
    await unit.chat('first')
    const highest = Math.max(...(await unit.messages()).map(({ seq }) => seq))
    const session = (await unit.allSessions()).find(({ conversationId }) => conversationId === 'console')!.id
    await assert.rejects(unit.purge(session), code('conflict'))
    unit.gateway.close(session)
    await unit.terminate(session)
    await unit.purge(session)
    for (const place of ['keys', 'queues']) {
      const left = await readdir(`${unit.stateDir}/${place}`)
      assert.deepEqual([left.some((name) => name.startsWith(session)), left.some((name) => name.startsWith(other))], [false, true])
    }
    await assert.rejects(unit.purge(session), code('not-found'))
    assert.deepEqual(await unit.texts(), ['hello', 'echo: hello'])
    await unit.stop()
    await unit.start()
    const next = await unit.send('again', 'other')
    await unit.replyTo(next.messageId)
    assert.deepEqual(
      (await unit.messages({ after: 2 })).map(({ seq }) => seq),
      [highest + 1, highest + 2],
    )
  })

  it('that is open is refused after a restart too', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hello')
    const { id } = (await unit.session())!
    await unit.stop()
    await unit.start()
    await assert.rejects(unit.purge(id), code('conflict'))
    assert.deepEqual(await unit.texts(), ['hello', 'echo: hello'])
  })
})

describe('the messages of a group', () => {
  it('are read without opening a conversation that has no part in them', async (t) => {
    const unit = await openUnit(t)
    for (const conversation of ['a', 'b', 'c']) {
      const { messageId } = await unit.send(`in ${conversation}`, conversation)
      await unit.replyTo(messageId)
    }
    await unit.stop()
    await unit.start()
    const { id: b } = await waitFor(async () => (await unit.allSessions()).find(({ conversationId }) => conversationId === 'b'), {
      what: 'a session that the gateway knows',
      deadline: 120_000,
    })
    // A file that is gone is noticed by whoever opens it.
    const path = `${unit.stateDir}/queues/${b}.db`
    await rename(path, `${path}.away`)
    assert.deepEqual(
      (await unit.messages({ after: 4 })).map(({ text }) => text),
      ['in c', 'echo: in c'],
    )
    assert.deepEqual(
      (await unit.messages({ limit: 2 })).map(({ text }) => text),
      ['in c', 'echo: in c'],
    )
    assert.equal(
      (await unit.allSessions()).some(({ state }) => state === 'parked'),
      false,
    )
    // The whole needs it, and says so.
    assert.equal((await unit.messages()).length, 4)
    assert.equal((await unit.allSessions()).find(({ id }) => id === b)?.state, 'parked')
    await rename(`${path}.away`, path)
  })
})
