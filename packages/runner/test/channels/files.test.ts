// Files that go with a message of an agent: copied before it hears that the message is taken, handed out until it is delivered, then gone.
import assert from 'node:assert/strict'
import { promises } from 'node:fs'
import { mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { type Delivery, isServiceError, limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type Answer, ask } from '../fixtures/door.ts'
import { codeOf } from '../fixtures/room.ts'
import { noDriver, openUnit, type Unit } from '../fixtures/unit.ts'

const context = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }
const MiB = 1024 * 1024
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

interface House {
  readonly unit: Unit
  /** Puts a file where the agent would. */
  write(path: string, content: string | Buffer | number): Promise<void>
  remove(path: string): Promise<void>
  /** The agent of a conversation speaks. */
  say(conversation: string, message: { id: string; text?: string; files?: unknown }): Promise<Answer>
  outbox(): Promise<Delivery[]>
  piece(wanted: Pick<Delivery, 'session' | 'seq'>, file: number, part?: number): Promise<string>
  queueSize(conversation: string): Promise<number>
}

/** Agents are silent, so that a test may speak in their place. */
const open = async (t: TestContext): Promise<House> => {
  const unit = await openUnit(t, { driver: await noDriver(join(import.meta.dirname, '../fixtures/silent.mjs')) })
  const sessions = new Map<string, string>()
  const at = (path: string): string => `${unit.stateDir}/groups/dev-agent${path}`
  const begin = async (conversation: string): Promise<string> => {
    const message = { agentGroupID: 'dev-agent' as never, conversationId: conversation as never, author: 'U1', text: 'hello' }
    const reference = { address: 'C1', own: {} }
    const { sessionId } = conversation.startsWith('slack')
      ? await unit.runner.channels.receive({ ...message, channel: 'slack', id: conversation, reference }, context)
      : await unit.send('hello', conversation)
    sessions.set(conversation, sessionId)
    return sessionId
  }
  return {
    unit,
    write: async (path, content) => {
      await mkdir(dirname(at(path)), { recursive: true, mode: 0o700 })
      await writeFile(at(path), typeof content === 'number' ? '' : content)
      if (typeof content === 'number') await truncate(at(path), content)
    },
    remove: (path) => rm(at(path)),
    say: async (conversation, { id, text = '', files }) => {
      const session = sessions.get(conversation) ?? (await begin(conversation))
      const socket = `${unit.runDir}/session/${session}/session.sock`
      const body = JSON.stringify({ id, text, files })
      return waitFor(() => ask(socket, { method: 'POST', path: '/outbox', body }).catch(() => undefined), { what: 'an answer' })
    },
    outbox: async () => (await unit.runner.channels.outbox({ channels: ['slack'], limit: 50, skip: [] }, context)).items,
    piece: async ({ session, seq }, file, part = 0) =>
      Buffer.from((await unit.runner.channels.sentFile({ session, seq, file, part }, context)).data, 'base64').toString(),
    queueSize: async (conversation) => {
      const path = `${unit.stateDir}/queues/${sessions.get(conversation) ?? ''}.db`
      const sizes = await Promise.all(
        ['', '-wal'].map((end) =>
          stat(path + end).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      )
      return sizes.reduce((sum, size) => sum + size, 0)
    },
  }
}

const only = (items: Delivery[]): Delivery => items[0] ?? assert.fail('nothing is to be delivered')
const gone = (act: Promise<unknown>) => assert.rejects(act, (error) => isServiceError(error) && error.code === 'not-found')

describe('files of an agent', { timeout: 300_000 }, () => {
  it('are delivered as they were when it sent them, also after a restart, and shown with their message', async (t) => {
    const { unit, write, remove, say, outbox, piece } = await open(t)
    await write('/workspace/out/a.txt', 'as it was')
    await write('/memory/b.bin', Buffer.alloc(MiB + 1, 'b'))
    const files = ['/workspace/out/a.txt', '/memory/b.bin']
    assert.equal((await say('slack:C1', { id: 'r-1', text: 'here', files })).status, 202)
    await write('/workspace/out/a.txt', 'changed')
    await remove('/memory/b.bin')
    const shown = [
      { name: 'a.txt', path: '/workspace/out/a.txt', size: 9 },
      { name: 'b.bin', path: '/memory/b.bin', size: MiB + 1 },
    ]
    await unit.stop()
    await unit.start()
    const waiting = only(await outbox())
    assert.deepEqual([waiting.text, waiting.files], ['here', shown])
    assert.equal(await piece(waiting, 0), 'as it was')
    assert.deepEqual([(await piece(waiting, 1)).length, await piece(waiting, 1, 1)], [MiB, 'b'])
    const said = (await unit.messages()).map(({ text, files: own }) => [text, own])
    assert.deepEqual(said, [
      ['hello', undefined],
      ['here', shown],
    ])
    await gone(piece(waiting, 1, 2))
    await gone(piece({ ...waiting, seq: waiting.seq + 1 }, 0))
  })

  it('of the same id twice are one message, though the files are gone by the second time', async (t) => {
    const { unit, write, remove, say, outbox } = await open(t)
    await write('/workspace/a', 'x')
    const message = { id: 'r-1', text: 'here', files: ['/workspace/a'] }
    const twice = await Promise.all([say('slack:C1', message), say('slack:C1', message)])
    assert.deepEqual(
      twice.map(({ status }) => status),
      [202, 202],
    )
    await remove('/workspace/a')
    assert.equal((await say('slack:C1', message)).status, 202)
    assert.deepEqual(
      (await unit.texts()).filter((text) => text === 'here'),
      ['here'],
    )
    assert.equal(only(await outbox()).files.length, 1)
  })

  it('are gone with their room once the message is delivered or buried, and not before', async (t) => {
    const { unit, write, say, outbox, piece, queueSize } = await open(t)
    await write('/workspace/a', 5 * MiB)
    for (const id of ['r-1', 'r-2']) await say('slack:C1', { id, files: ['/workspace/a'] })
    const first = only(await outbox())
    const { session, seq } = first
    await unit.runner.channels.delivered({ session, seq, parts: 1 }, context)
    assert.equal((await piece(first, 0)).length, MiB)
    assert.ok((await queueSize('slack:C1')) > 10 * MiB)
    const { next } = await unit.runner.channels.delivered({ session, seq }, context)
    await gone(piece(first, 0))
    assert.ok(next !== undefined && (await piece(next, 0)).length === MiB)
    await unit.runner.channels.buried({ session, seq: next.seq, reason: 'gone' }, context)
    await gone(piece(next, 0))
    await waitFor(async () => (await queueSize('slack:C1')) < MiB, { what: 'the room to be given back', deadline: 120_000 })
    // What is told of them stays.
    assert.deepEqual(
      (await unit.messages()).flatMap(({ files = [] }) => files.map(({ path }) => path)),
      ['/workspace/a', '/workspace/a'],
    )
  })

  it('are not copied where no channel would take them', async (t) => {
    const { unit, write, say, outbox, queueSize } = await open(t)
    await write('/workspace/a', 5 * MiB)
    assert.equal((await say('console', { id: 'r-1', files: ['/workspace/a'] })).status, 202)
    assert.equal(codeOf(await say('console', { id: 'r-2', files: ['/workspace/b'] })), 'not-found')
    assert.deepEqual([(await outbox()).length, (await queueSize('console')) < MiB], [0, true])
    assert.equal((await unit.messages()).at(-1)?.files?.[0]?.size, 5 * MiB)
  })

  it('are bounded for a message, a conversation and a group, and what is refused leaves nothing', async (t) => {
    const { unit, write, say, outbox } = await open(t)
    if (!isFull) {
      t.mock.property(limits, 'sentHeld', 4 * MiB)
      t.mock.property(limits, 'sentHeldByGroup', 8 * MiB)
    }
    const sizes = { ten: 10 * MiB, more: 10 * MiB + 1, one: 1, quarter: limits.sentHeld / 4 }
    for (const [name, size] of Object.entries(sizes)) await write(`/workspace/${name}`, size)
    const [ten, one, quarter] = ['/workspace/ten', '/workspace/one', '/workspace/quarter']
    const refusals: [unknown, number, string][] = [
      [['/workspace/more'], 413, 'too-large'],
      [[ten, ten, one], 413, 'too-large'],
      [[one, '/workspace/none'], 404, 'not-found'],
      [[one, one, one, one, one], 422, 'invalid'],
      [['/etc/passwd'], 422, 'invalid'],
      [['/workspace/../memory/x'], 422, 'invalid'],
      [['/workspace/'], 422, 'invalid'],
      [['/workspace'], 422, 'invalid'],
      [['workspace/one'], 422, 'invalid'],
      [['/shared/one'], 422, 'invalid'],
      [['/workspace/a\u0000b'], 422, 'invalid'],
      [['/workspace/one/'], 422, 'invalid'],
      [one, 422, 'invalid'],
    ]
    for (const [files, status, code] of refusals) {
      const answer = await say('slack:C1', { id: 'r-refused', text: 'x', files })
      assert.deepEqual([answer.status, codeOf(answer)], [status, code], JSON.stringify(files))
    }
    assert.deepEqual(await unit.texts(), ['hello'])
    const fill = (conversation: string, id: string) => say(conversation, { id, files: [quarter, quarter] })
    for (const id of ['r-1', 'r-2']) assert.equal((await fill('slack:C1', id)).status, 202)
    const full = await say('slack:C1', { id: 'r-3', files: [one] })
    assert.equal(codeOf(full), 'too-large')
    assert.match(JSON.stringify(full.body), /that wait for the channel of this conversation/)
    assert.equal((await say('slack:C1', { id: 'r-3', text: 'without' })).status, 202)
    for (const id of ['r-1', 'r-2']) assert.equal((await fill('slack:C2', id)).status, 202)
    // Also after a restart, which counts anew.
    await unit.stop()
    await unit.start()
    const beyond = await say('slack:C3', { id: 'r-1', files: [one] })
    assert.equal(codeOf(beyond), 'too-large')
    assert.match(JSON.stringify(beyond.body), /of this group that wait for channels/)
    const { session, seq } = only(await outbox())
    await unit.runner.channels.delivered({ session, seq }, context)
    assert.equal((await say('slack:C3', { id: 'r-1', files: [one] })).status, 202)
  })

  it('go with their message when it is forgotten, and give their room back', { timeout: 120_000 }, async (t) => {
    const { unit, write, say, outbox, piece, queueSize } = await open(t)
    await write('/workspace/a', 5 * MiB)
    await say('slack:C1', { id: 'r-1', files: ['/workspace/a'] })
    const first = only(await outbox())
    await say('slack:C1', { id: 'r-2', text: 'last' })
    await unit.stop()
    await unit.start({ chatRetention: 1 })
    await waitFor(async () => (await unit.texts()).length === 2, { what: 'it to be forgotten', deadline: 120_000 })
    await gone(piece(first, 0))
    await waitFor(async () => (await queueSize('slack:C1')) < MiB, { what: 'the room to be given back', deadline: 120_000 })
  })
})

describe('a full disk', { timeout: 120_000 }, () => {
  it('refuses files by a name that an agent does not wait for, and keeps nothing', async (t) => {
    const { unit, write, say } = await open(t)
    await write('/workspace/a', 'x')
    await say('slack:C1', { id: 'r-0', text: 'first' })
    const real = promises.statfs
    const full = t.mock.method(promises, 'statfs', async (path: string) => Object.assign(await real(path), { bavail: 1 }))
    syncBuiltinESMExports()
    const answer = await say('slack:C1', { id: 'r-1', text: 'x', files: ['/workspace/a'] })
    full.mock.restore()
    syncBuiltinESMExports()
    assert.deepEqual([answer.status, codeOf(answer)], [413, 'too-large'])
    assert.match(JSON.stringify(answer.body), /on the disk of the unit/)
    assert.deepEqual(await unit.texts(), ['hello', 'first'])
    assert.equal((await say('slack:C1', { id: 'r-1', text: 'x', files: ['/workspace/a'] })).status, 202)
  })
})
