// Answers by webhook against receivers that behave badly, each in one way.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { type Outgoing, SendFailure } from '../../src/channel.ts'
import { sendWebhook } from '../../src/webhook/send.ts'

const way = {
  secrets: [Buffer.alloc(32, 7)],
  ownAddress: '127.0.0.1:1',
  outbound: { proxy: null, noProxy: [], authorities: null },
}
const outgoing = (address: string): Outgoing => ({
  id: 'msg_1',
  address,
  thread: undefined,
  text: 'hello',
  files: [],
  at: new Date().toISOString(),
  part: 0,
  parts: 1,
  reference: {},
})

const receiver = async (t: TestContext, answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const send = (address: string, signal = new AbortController().signal, more = {}) =>
  sendWebhook({ ...way, ...more }, outgoing(address), signal)

const fails = async (sending: Promise<unknown>): Promise<SendFailure> => {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SendFailure, String(error))
  return error
}

for (const [status, kind, after] of [
  [400, 'later', undefined],
  [404, 'later', undefined],
  [410, 'never', undefined],
  [429, 'later', 7_000],
  [500, 'later', undefined],
] as const) {
  test(`${status} means ${kind}`, async (t) => {
    const url = await receiver(t, (_, response) => response.writeHead(status, { 'retry-after': '7' }).end())
    const failure = await fails(send(url))
    assert.equal(failure.kind, kind)
    if (after !== undefined) assert.equal(failure.after, after)
  })
}

test('a redirect is not followed, wherever it leads', async (t) => {
  let asked = 0
  const elsewhere = await receiver(t, (_, response) => {
    asked += 1
    response.end()
  })
  const url = await receiver(t, (_, response) => response.writeHead(307, { location: elsewhere }).end())
  assert.equal((await fails(send(url))).kind, 'later')
  assert.equal(asked, 0)
})

test('a receiver that never answers, ends early or sends without end is given up', async (t) => {
  const silent = await receiver(t, () => undefined)
  assert.equal((await fails(send(silent, AbortSignal.timeout(200)))).kind, 'later')
  const early = await receiver(t, (request) => request.socket.destroy())
  assert.equal((await fails(send(early))).kind, 'later')
  const endless = await receiver(t, (_, response) => {
    response.writeHead(200)
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  assert.equal(await send(endless), 'sent')
})

test('what no operator would mean is never dialled', async (t) => {
  const url = await receiver(t, (_, response) => response.end())
  const own = { ownAddress: new URL(url).host }
  assert.equal((await fails(send(url, undefined, own))).kind, 'never')
  for (const address of [
    'https://169.254.169.254/latest',
    'https://[::ffff:169.254.169.254]/',
    'https://0.0.0.0/',
    'http://example.org/',
    'http://10.0.0.1/',
    'https://user:password@example.org/',
    'https://a b/',
    'HTTP://127.0.0.1.example.org/',
  ])
    assert.equal((await fails(send(address))).kind, 'never', address)
})

test('an address that is no url has no receiver, and that is no failure', async () => {
  assert.equal(await send('alerts'), 'kept')
})

test('a file goes in the body, with what proves that it arrived whole', async (t) => {
  const chunks: Buffer[] = []
  const url = await receiver(t, (request, response) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.end())
  })
  // A view of a larger buffer, of which nothing else may leave.
  const bytes = Buffer.from('secret report secret').subarray(7, 13)
  await sendWebhook(way, { ...outgoing(url), text: '', files: [{ name: 'report.txt', bytes }] }, new AbortController().signal)
  const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: Record<string, unknown> }
  const [text, sha256] = [Buffer.from('report'), createHash('sha256').update('report').digest('hex')]
  assert.deepEqual(data['files'], [{ name: 'report.txt', size: 6, sha256, content: text.toString('base64') }])
  assert.equal(data['text'], '')
})

test('what an agent wrote says that it is Markdown, and our own words do not', async (t) => {
  const bodies: { data: { text: string; format?: string } }[] = []
  const url = await receiver(t, (request, response) => {
    void json(request).then((body) => {
      bodies.push(body as (typeof bodies)[number])
      response.end()
    })
  })
  await send(url)
  await sendWebhook(way, { ...outgoing(url), text: '**hello**', format: 'markdown' }, new AbortController().signal)
  assert.deepEqual(
    bodies.map(({ data: { text, format } }) => [text, format]),
    [
      ['hello', undefined],
      ['**hello**', 'markdown'],
    ],
  )
})
