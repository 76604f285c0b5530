// What was done to a queue's files is noticed, and nothing empty takes their place.
import assert from 'node:assert/strict'
import { copyFile, cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { MessageID } from '@gatehouse/contracts'
import { UnreadableQueue } from '../../src/errors.ts'
import { accept } from '../../src/queue/accept.ts'
import { findQueues } from '../../src/queue/find.ts'
import { deliver } from '../../src/queue/list.ts'
import { openQueue, type QueuePlace } from '../../src/queue/open.ts'
import { QueuePool } from '../../src/queue/pool.ts'
import { aboutOf, makePlace, openPlace, type OwnPlace } from '../fixtures/queues.ts'

const [mine, other] = [aboutOf('a'), aboutOf('b', 'other')]
const at = '2026-11-20T12:53:01.000Z'

const fill = async (place: QueuePlace, about = mine, text = 'hello'): Promise<void> => {
  const { store } = await openQueue(place, about)
  for (let seq = 1; seq <= 40; seq += 1)
    await accept(store, { id: `m-${seq}` as MessageID, seq, from: 'user', text: `${text} ${'x'.repeat(1000)}`, at })
  await store.close()
}

const files = ({ stateDir }: QueuePlace, about = mine) => ({
  db: `${stateDir}/queues/${about.id}.db`,
  key: `${stateDir}/keys/${about.id}.key`,
})

const contents = async ({ stateDir }: QueuePlace): Promise<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const name of (await readdir(stateDir, { recursive: true })).toSorted()) {
    const path = `${stateDir}/${name}`
    if ((await stat(path)).isFile()) found[name] = (await readFile(path)).toString('base64')
  }
  return found
}

interface Damage {
  readonly what: string
  readonly reason: RegExp
  do(place: QueuePlace): Promise<unknown>
}

const damages: Damage[] = [
  { what: 'a missing key', reason: /key is missing/, do: (place) => rm(files(place).key) },
  {
    what: 'an altered key',
    reason: /does not open/,
    do: async (place) =>
      writeFile(
        files(place).key,
        (await readFile(files(place).key, 'utf8')).replace(/v1\.(.)/, (_, c) => `v1.${c === 'A' ? 'B' : 'A'}`),
      ),
  },
  { what: 'a key that is no key', reason: /does not open/, do: (place) => writeFile(files(place).key, 'x') },
  { what: 'another session’s key', reason: /does not open/, do: (place) => copyFile(files(place, other).key, files(place).key) },
  { what: 'a missing file', reason: /is missing/, do: (place) => rm(files(place).db) },
  { what: 'an empty file', reason: /is empty/, do: (place) => truncate(files(place).db, 0) },
  {
    what: 'a file cut in half',
    reason: /replaced, cut or damaged|is damaged/,
    do: async (place) => truncate(files(place).db, Math.floor((await stat(files(place).db)).size / 2 / 4096) * 4096),
  },
  { what: 'another session’s file', reason: /replaced, cut or damaged/, do: (place) => copyFile(files(place, other).db, files(place).db) },
  { what: 'a plain file', reason: /replaced, cut or damaged/, do: (place) => writeFile(files(place).db, 'x'.repeat(8192)) },
]

describe('a queue that was tampered with', { timeout: 300_000 }, () => {
  let filled: OwnPlace
  before(async () => {
    filled = await makePlace()
    await fill(filled.place)
    await fill(filled.place, other)
  })
  after(() => filled.remove())

  /** Two queues, each with messages: a copy for each damage. */
  const both = async (t: TestContext): Promise<QueuePlace> => {
    const place = await openPlace(t)
    await cp(filled.place.stateDir, place.stateDir, { recursive: true })
    return place
  }

  for (const damage of damages) {
    it(`is refused with a reason, and left as it is: ${damage.what}`, async (t) => {
      const place = await both(t)
      await damage.do(place)
      const before = await contents(place)
      await assert.rejects(
        openQueue(place, mine),
        (error) => error instanceof UnreadableQueue && error.code === 'conflict' && damage.reason.test(error.reason),
      )
      assert.deepEqual(Object.keys(await contents(place)), Object.keys(before))
      assert.deepEqual(await contents(place), before)
      const found = await findQueues(place)
      assert.deepEqual([...found.unreadable.keys()], [mine.id])
      assert.deepEqual(
        found.readable.map(({ about, waiting }) => [about.id, waiting]),
        [[other.id, 40]],
      )
    })
  }

  it('is refused whole under another master key, and nothing is made', async (t) => {
    const place = { ...(await both(t)), wrapping: Buffer.alloc(32, 8) }
    const before = await contents(place)
    assert.equal((await findQueues(place)).unreadable.size, 2)
    await assert.rejects(openQueue(place, mine), UnreadableQueue)
    assert.deepEqual(await contents(place), before)
  })

  it('is refused when its damage shows only while it is read', async (t) => {
    const place = await both(t)
    const queuePool = new QueuePool(place)
    await queuePool.use(mine, async () => undefined)
    await queuePool.close()
    const bytes = await readFile(files(place).db)
    bytes.fill(0, bytes.length - 8 * 4096)
    await writeFile(files(place).db, bytes)
    await assert.rejects(
      queuePool.use(mine, (store) => store.read.all('SELECT text FROM messages')),
      (error) => error instanceof UnreadableQueue && error.reason.includes('damaged'),
    )
    await queuePool.close()
  })
})

describe('a queue whose making was cut short', { timeout: 300_000 }, () => {
  it('is made anew, since nothing was ever accepted', async (t) => {
    const place = await openPlace(t)
    await fill(place)
    await writeFile(files(place).key, (await readFile(files(place).key, 'utf8')).replace('"made":true', '"made":false'))
    assert.equal((await findQueues(place)).readable.length, 0)
    const { store } = await openQueue(place, mine)
    assert.deepEqual(await deliver(store), [])
    await store.close()
    assert.equal((await findQueues(place)).readable.length, 1)
  })
})

describe('the bytes on disk', { timeout: 300_000 }, () => {
  it('hold no text of a message, also before the log is folded into the file', async (t) => {
    const place = await openPlace(t)
    const { store } = await openQueue(place, mine)
    const text = 'the-secret-of-the-house'
    await accept(store, { id: 'm-1' as MessageID, seq: 1, from: 'user', text, at })
    const holds = async () => Object.values(await contents(place)).some((one) => Buffer.from(one, 'base64').includes(text))
    assert.ok((await stat(`${files(place).db}-wal`)).size > 0)
    assert.equal(await holds(), false)
    await store.close()
    assert.equal(await holds(), false)
  })
})

describe('the queuePool', { timeout: 300_000 }, () => {
  it('keeps no more queues open than it may, and opens them again when they are needed', async (t) => {
    const place = await openPlace(t)
    const queuePool = new QueuePool(place, 2)
    const abouts = ['a', 'b', 'c', 'd'].map((letter) => aboutOf(letter, letter))
    for (const [index, about] of abouts.entries()) {
      await queuePool.use(about, (store) => accept(store, { id: `m-${index}` as MessageID, seq: index + 1, from: 'user', text: 'x', at }))
    }
    const open = (await readdir(`${place.stateDir}/queues`)).filter((name) => name.endsWith('-wal'))
    assert.ok(open.length <= 3, `got ${open.length}`)
    for (const about of abouts) assert.equal((await queuePool.use(about, deliver)).length, 1)
    await queuePool.close()
    assert.deepEqual(
      (await readdir(`${place.stateDir}/queues`)).filter((name) => name.endsWith('-wal')),
      [],
    )
  })
})
