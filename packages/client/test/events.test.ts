// News as an iteration: taken up again where it broke off, ended by what trying again does not mend.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Code, codes, isServiceError } from '@gatehouse/contracts'
import { createClient, type Fetch, type UnitEvent } from '../src/index.ts'

const line = (seq: number): string =>
  `id: ${seq}\nevent: apply\ndata: ${JSON.stringify({ seq, time: 't', stage: 'apply', principal: 'admin' })}\n\n`
const problem = (code: Code): Response =>
  Response.json({ type: 'x', title: 'x', detail: 'x', requestId: 'r', code, status: codes[code].status }, { status: codes[code].status })

/** Answers one after the other; the last again and again. */
const answering = (...answers: (() => Response)[]) => {
  const asked: (string | undefined)[] = []
  const fetch: Fetch = (_, init) => {
    asked.push((init.headers as Record<string, string | undefined>)['Last-Event-ID'])
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (answer === undefined) throw new TypeError('expected an answer')
    return Promise.resolve().then(answer)
  }
  return { asked, client: createClient({ address: 'http://unit.test', token: 't', fetch }) }
}

const take = async (events: AsyncIterable<UnitEvent>, count: number): Promise<UnitEvent[]> => {
  const taken: UnitEvent[] = []
  for await (const event of events) {
    taken.push(event)
    if (taken.length === count) break
  }
  return taken
}

test('goes on behind the last event when a stream ends, breaks or cannot be had', async () => {
  const { client, asked } = answering(
    () => new Response(line(1) + line(2)),
    () => problem('unavailable'),
    () => new Response('id: 5\n\n'),
    () => {
      throw new TypeError('fetch failed')
    },
    () => problem('rate-limited'),
    () => new Response(line(6)),
  )
  const taken = await take(client.events({ retry: 1 }), 3)
  assert.deepEqual(
    taken.map((event) => event.type === 'news' && event.news.seq),
    [1, 2, 6],
  )
  assert.deepEqual(asked, [undefined, '2', '2', '5', '5', '5'])
})

test('begins behind a line that is named', async () => {
  const { client, asked } = answering(() => new Response(line(8)))
  await take(client.events({ after: 7 }), 1)
  assert.deepEqual(asked, ['7'])
})

test('tells of a gap', async () => {
  const { client } = answering(() => new Response('id: 90\nevent: gap\ndata: {"after":1,"head":90,"hint":"read"}\n\n'))
  assert.deepEqual(await take(client.events(), 1), [{ type: 'gap', after: 1, head: 90 }])
})

test('passes over what it does not understand', async () => {
  const { client } = answering(() => new Response(`event: new\ndata: {}\n\ndata: not json\n\nevent: gap\ndata: 1\n\n${line(1)}`))
  assert.equal((await take(client.events(), 1))[0]?.type, 'news')
})

test('throws what trying again does not mend', async () => {
  for (const code of ['unauthorized', 'forbidden', 'host-refused', 'malformed'] as const) {
    const { client, asked } = answering(() => problem(code))
    await assert.rejects(take(client.events({ retry: 1 }), 1), (error) => isServiceError(error) && error.code === code)
    assert.equal(asked.length, 1)
  }
})

test('ends when the caller has had enough, at rest and in between', async () => {
  const stop = new AbortController()
  const silent = (): Response => new Response(new ReadableStream({ start: () => stop.abort() }))
  const breaking: Fetch = (_, { signal }) => {
    const response = silent()
    return signal?.aborted === true ? Promise.reject(new DOMException('aborted', 'AbortError')) : Promise.resolve(response)
  }
  const client = createClient({ address: 'http://unit.test', fetch: breaking })
  assert.deepEqual(await take(client.events({ signal: stop.signal }), 1), [])
  assert.deepEqual(await take(client.events({ signal: AbortSignal.abort() }), 1), [])
})

test('takes a stream that is silent for too long for dead', async () => {
  const { client, asked } = answering(
    () => new Response(new ReadableStream()),
    () => new Response(line(1)),
  )
  const fetchless = client.events({ silence: 20, retry: 1 })
  const taken = take(fetchless, 1)
  assert.equal((await taken)[0]?.type, 'news')
  assert.equal(asked.length, 2)
})
