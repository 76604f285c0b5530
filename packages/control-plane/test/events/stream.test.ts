// The stream of news: what a reader is told, from where, and when it ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, ServiceError } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { createEvents } from '../../src/events/events.ts'
import { createJournal, follow, scoped } from '../fixtures/journal.ts'
import { createTestUnit, type Options, otherToken, type Question, token } from '../fixtures/unit.ts'

const start = (options: Options = {}, pingEvery = 60_000) => {
  const events = createEvents({ pingEvery })
  const journal = createJournal(events)
  const unit = createTestUnit({ ...options, events, answers: { ...journal.answers, ...options.answers } })
  const open = async (path = '/v1/events', question: Question = {}) => {
    const response = await unit.request('GET', path, question)
    assert.equal(response.status, 200)
    return follow(response.body)
  }
  return { ...unit, events, journal, open }
}
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const hears = (reader: ReturnType<typeof follow>, count: number) =>
  waitFor(() => reader.lines().length >= count, { what: `${count} lines, got ${reader.lines().length}` })

test('tells each line as it comes, with its number as id, its stage as event and itself as data', async () => {
  const { open, journal } = start()
  journal.write(3)
  const reader = await open()
  journal.write(2)
  await hears(reader, 2)
  assert.deepEqual(reader.told(), [
    { id: 3, event: undefined, data: undefined },
    { id: 4, event: 'apply', data: journal.lines[3] },
    { id: 5, event: 'apply', data: journal.lines[4] },
  ])
})

test('says that it is a stream that nobody may keep', async () => {
  const { request, events } = start()
  const { headers } = await request('GET', '/v1/events')
  assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  events.close()
})

test('goes on behind the last event that was read, by header before query', async () => {
  const { open, journal } = start()
  journal.write(450)
  const cases: readonly (readonly [string, Record<string, string>, number])[] = [
    ['/v1/events?after=0', {}, 1],
    ['/v1/events?after=448', {}, 449],
    ['/v1/events?after=3', { 'last-event-id': '440' }, 441],
    ['/v1/events', { 'last-event-id': '7' }, 8],
  ]
  for (const [path, headers, first] of cases) {
    const reader = await open(path, { headers })
    await hears(reader, 451 - first)
    assert.deepEqual(reader.lines(), upTo(450, first))
    await reader.leave()
  }
})

test('loses nothing and doubles nothing between what was missed and what comes', async () => {
  let write = (): void => undefined
  const { open, journal } = start({
    answers: {
      'gateway.news': (wanted: { after: number; limit: number }) => {
        const page = journal.answers['gateway.news'](wanted)
        write()
        return page
      },
    },
  })
  journal.write(300)
  let rounds = 20
  write = () => {
    if (rounds > 0) journal.write(1)
    rounds -= 1
  }
  const reader = await open('/v1/events?after=0')
  await hears(reader, 320 - rounds)
  await waitFor(() => reader.lines().length === journal.lines.length, { what: 'all lines' })
  assert.deepEqual(reader.lines(), upTo(journal.lines.length))
})

test('tells of a gap where more was missed than is sent again, and where the id is of another journal', async () => {
  const { open, journal } = start()
  journal.write(limits.eventReplay + 5)
  const head = journal.lines.length
  for (const after of [3, head + 100]) {
    const reader = await open(`/v1/events?after=${after}`)
    journal.write(1)
    await hears(reader, 1)
    const [gap] = reader.told()
    assert.equal(gap?.event, 'gap')
    assert.deepEqual([(gap.data as { after: number }).after, gap.id], [after, journal.lines.length - 1])
    assert.deepEqual(reader.lines(), [journal.lines.length])
    await reader.leave()
  }
})

test('asks how long the journal is before anything of it is read, and reads nothing where too much was missed', async () => {
  const asked: { after: number; limit: number }[] = []
  const { open, journal } = start({
    answers: {
      'gateway.news': (wanted: { after: number; limit: number }) => {
        asked.push({ after: wanted.after, limit: wanted.limit })
        return journal.answers['gateway.news'](wanted)
      },
    },
  })
  journal.write(limits.eventReplay + 5)
  const reader = await open('/v1/events?after=0')
  journal.write(1)
  await hears(reader, 1)
  assert.deepEqual(
    asked.filter(({ after }) => after < limits.eventReplay),
    [],
  )
})

test('goes on behind what an answer looked through in vain', async () => {
  const { open, journal } = start({
    answers: {
      'gateway.news': ({ after }: { after: number }) => {
        const upTo = Math.min(after + 3, journal.lines.length)
        const items = journal.lines.filter(({ seq }) => seq > after && seq <= upTo && seq % 10 === 0)
        return { items, head: journal.lines.length, upTo }
      },
    },
  })
  journal.write(45)
  const reader = await open('/v1/events?after=0')
  await hears(reader, 4)
  assert.deepEqual(reader.lines(), [10, 20, 30, 40])
})

test('tells a narrowed token of its groups alone, of what was and of what comes', async () => {
  const { open, journal } = start({ answers: { 'gateway.permit': () => scoped(['mine', 'ours']) } })
  const round = (): void => {
    for (const group of ['mine', 'theirs', undefined, 'ours']) journal.write(1, group)
  }
  round()
  const reader = await open('/v1/events?after=0')
  await hears(reader, 2)
  round()
  await hears(reader, 4)
  assert.deepEqual(reader.lines(), [1, 4, 5, 8])
})

test('ends the streams of a revoked token and no others', async () => {
  const { open, events, journal } = start()
  const mine = await open()
  const other = await open('/v1/events', { headers: { authorization: `Bearer ${otherToken}` } })
  events.revoke(sha256(token))
  assert.equal(await mine.ended, 'end')
  journal.write(1)
  await hears(other, 1)
  assert.deepEqual([mine.lines(), events.count()], [[], 1])
})

test('ends at the time when its token does', async () => {
  let ended = false
  const expiresAt = new Date(Date.now() + 50).toISOString()
  const { open, events } = start({
    answers: {
      'gateway.permit': () => {
        if (ended) throw new ServiceError('unauthorized')
        return { name: 'ann', role: 'auditor', expiresAt }
      },
    },
  })
  const reader = await open()
  ended = true
  assert.equal(await reader.ended, 'end')
  assert.equal(events.count(), 0)
})

test('ends at the time when its token does when the clock is set back meanwhile', async (t) => {
  let ended = false
  const expiresAt = new Date(Date.now() + 600).toISOString()
  const { open } = start({
    answers: {
      'gateway.permit': () => {
        if (ended) throw new ServiceError('unauthorized')
        return { name: 'ann', role: 'auditor', expiresAt }
      },
    },
  })
  const reader = await open()
  const machine = Date.now.bind(Date)
  t.mock.method(Date, 'now', () => machine() - 86_400_000)
  ended = true
  assert.equal(await reader.ended, 'end')
})

test('shows that it lives, and ends when its token was found to be gone', async () => {
  let gone = false
  const { open } = start(
    {
      answers: {
        'gateway.permit': () => {
          if (gone) throw new ServiceError('unauthorized')
          return { name: 'ann', role: 'auditor' }
        },
      },
    },
    20,
  )
  const reader = await open()
  await waitFor(() => reader.blocks.filter((block) => block === ': ping').length > 3, { what: 'pings' })
  gone = true
  assert.equal(await reader.ended, 'end')
})

test('goes on without a gap when the gateway comes back', async () => {
  let down = false
  const { open, journal } = start({
    answers: {
      'gateway.news': (wanted: { after: number; limit: number }) => {
        if (down) throw new ServiceError('unavailable')
        return journal.answers['gateway.news'](wanted)
      },
    },
  })
  const reader = await open()
  journal.write(2)
  await hears(reader, 2)
  journal.lose()
  down = true
  journal.write(3)
  journal.find()
  journal.write(1)
  down = false
  journal.find()
  await hears(reader, 6)
  journal.write(1)
  await hears(reader, 7)
  assert.deepEqual(reader.lines(), upTo(7))
})

test('keeps no place for a question for the headers, nor for one that failed', async () => {
  const { ask, events } = start()
  assert.equal((await ask('HEAD', '/v1/events')).status, 200)
  const failing = createTestUnit({
    events,
    answers: {
      'gateway.news': () => {
        throw new ServiceError('unavailable')
      },
    },
  })
  assert.equal((await failing.ask('GET', '/v1/events')).status, 503)
  assert.equal(events.count(), 0)
})

test('refuses an id that is none', async () => {
  const { ask, events } = start()
  for (const id of ['x', '-1', '1.5', '1e3', '9'.repeat(16), '0x1'])
    assert.equal((await ask('GET', '/v1/events', { headers: { 'last-event-id': id } })).status, 400, id)
  for (const query of ['after=x', 'after=-1', 'after=', 'since=1'])
    assert.equal((await ask('GET', `/v1/events?${query}`)).status, 422, query)
  assert.equal(events.count(), 0)
})

test('is for those whom the gateway permits', async () => {
  const { ask } = start({
    answers: {
      'gateway.permit': ({ route }: { route: string }) => {
        if (route === 'events') throw new ServiceError('forbidden')
        return { name: 'a', role: 'auditor' }
      },
    },
  })
  assert.equal((await ask('GET', '/v1/events')).status, 403)
  assert.equal((await ask('GET', '/v1/events', { headers: { authorization: null } })).status, 401)
})

test('ends every stream when the unit stops, and begins none', async () => {
  const { open, events, ask } = start()
  const readers = [await open(), await open()]
  events.close()
  assert.deepEqual(await Promise.all(readers.map(({ ended }) => ended)), ['end', 'end'])
  assert.equal((await ask('GET', '/v1/events')).status, 503)
})
