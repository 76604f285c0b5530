// A session socket: routes, responses that a route writes itself, and new checks of running requests.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type AgentGroupID, type SessionID, surfaceSocket } from '@gatehouse/contracts'
import {
  Abandoned,
  createLogger,
  createServe,
  type Exchange,
  InFlightRequests,
  jsonReply,
  type Reply,
  RunningExchanges,
  Sessions,
} from '../../src/index.ts'

const session = 'ses_aaaaaaaaaaaaa' as SessionID
const open = { session, agentGroupID: 'team' as AgentGroupID }
const log = createLogger({ process: 'kernel-test', level: 'error', write: () => undefined })
const stopping = new AbortController()
const running = new RunningExchanges()
const runDir = await mkdtemp(join(tmpdir(), 'gh-surface-'))

const streamed = async (_: unknown, { response }: Exchange): Promise<undefined> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: 1\n\n')
  response.end('data: 2\n\n')
}
const broken = async (_: unknown, { response }: Exchange): Promise<undefined> => {
  response.write('half')
  throw new Error('the source of the stream is gone')
}
const events: string[] = []
const named = async ({ id }: { id: string }): Promise<Reply> => jsonReply(JSON.stringify({ id }))

const surface = new Sessions({
  surface: 'model',
  runDir,
  sessions: async () => [open],
  report: async () => undefined,
  callerOf: ({ session: id }) => ({ id }),
  serve: createServe({
    routes: {
      '/name': { method: 'GET', run: named },
      '/stream': { method: 'POST', run: streamed },
      '/broken': { method: 'POST', run: broken },
      '/items/:id/parts/:part': { method: 'GET', run: async (_, __, parameters) => jsonReply(JSON.stringify(parameters), 202) },
    },
    fault: () => undefined,
    guard: (_, { url }) => {
      events.push(`begin ${url}`)
      return () => events.push(`end ${url}`)
    },
    running,
    callTime: 60_000,
    stopping: stopping.signal,
  }),
  log,
})
before(() => surface.synchronize())
after(async () => {
  await surface.close()
  await rm(runDir, { recursive: true, force: true })
})

const ask = (method: string, path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const socketPath = surfaceSocket(runDir, 'model', session)
    const sent = request({ socketPath, method, path, agent: false, headers: { 'x-session': 'ses_bbbbbbbbbbbbb' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end()
  })

test('a route receives the session of its socket, whatever a header says', async () => {
  assert.deepEqual(await ask('GET', '/name'), { status: 200, text: `{"id":"${session}"}` })
})

test('a route can stream its response itself', async () => {
  assert.deepEqual(await ask('POST', '/stream'), { status: 200, text: 'data: 1\n\ndata: 2\n\n' })
})

test('a route receives the segments of its path by name, decoded, and no other path matches', async () => {
  assert.deepEqual(await ask('GET', '/items/a%20b/parts/%zz?x=1'), { status: 202, text: '{"id":"a b","part":"%zz"}' })
  for (const path of ['/items//parts/1', '/items/1/parts', '/items/1/parts/2/', '/x/../items/1/parts/2'])
    assert.equal((await ask('GET', path)).status, 404, path)
})

test('the guard is called at the begin and the end of each request, including one that matches no route', async () => {
  events.length = 0
  await ask('GET', '/nowhere')
  await ask('GET', '/name')
  assert.deepEqual(events, ['begin /nowhere', 'end /nowhere', 'begin /name', 'end /name'])
})

test('a response that fails midway is cut off', async () => {
  await assert.rejects(ask('POST', '/broken'), /ECONNRESET|aborted|socket hang up/)
})

test('an unknown path gets an error that names the valid ones', async () => {
  const { status, text } = await ask('GET', '/tools')
  assert.equal(status, 404)
  assert.match(text, /\/name or \/stream or \/broken/)
  assert.equal((await ask('GET', '/stream')).status, 405)
})

test('a request that fails its new check is aborted, and the others wait for their check', async () => {
  const asked = Promise.withResolvers<readonly string[]>()
  const ended: string[] = []
  const flights = new InFlightRequests({
    ask: () => asked.promise,
    reasonAgainst: (allowed, { name }: { session: { id: SessionID }; name: string; giveUp: (reason: Abandoned) => void }) =>
      allowed.includes(name) ? undefined : new Abandoned('revoked'),
  })
  const flight = (name: string) => ({ session: { id: session }, name, giveUp: ({ code }: Abandoned) => void ended.push(`${name} ${code}`) })
  const [kept, lost, untouched] = [flight('kept'), flight('lost'), flight('untouched')]
  for (const each of [kept, lost, untouched]) flights.enter(each)
  const judged = flights.recheck(({ name }) => name !== 'untouched')
  await flights.admit(untouched)
  let isAdmitted = false
  const admitted = flights.admit(kept).then(() => (isAdmitted = true))
  assert.equal(isAdmitted, false)
  asked.resolve(['kept'])
  await Promise.all([judged, admitted])
  assert.deepEqual(ended, ['lost revoked'])
})
