// Files of groups by HTTP: who may, in which parts, what the journal is told before anything is in its place.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { type Code, limits, ServiceError } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { startServer } from '../fixtures/server.ts'
import { createTestUnit, token } from '../fixtures/unit.ts'

const home = '/v1/agent-groups/dev-agent/files'
const digest = sha256(token)
const octets = { 'content-type': 'application/octet-stream' }
const throwing = (code: Code) => (): never => {
  throw new ServiceError(code)
}

/** A file of the runner that is read in parts. */
const holding = (data: Buffer) => ({
  'runner.fileRead': ({ offset, length }: { offset: number; length: number }) => ({
    data: data.subarray(offset, offset + length).toString('base64'),
    size: data.length,
    tag: 'cd'.repeat(32),
  }),
})

test('lists a directory of the workspace, or of the memory', async () => {
  const { ask, named } = createTestUnit()
  const { status, json } = await ask('GET', `${home}?path=in/deep&place=memory&limit=3&cursor=YQ`)
  assert.equal(status, 200)
  assert.deepEqual(
    (json()['items'] as { name: string }[]).map(({ name }) => name),
    ['report.md'],
  )
  assert.deepEqual(named('gateway.permit').at(-1)?.params, { token: digest, route: 'files', agentGroupID: 'dev-agent' })
  assert.deepEqual(named('runner.fileList')[0]?.params, {
    agentGroupID: 'dev-agent',
    place: 'memory',
    path: 'in/deep',
    limit: 3,
    after: 'YQ',
  })
})

test('asks the runner for nothing that the gateway does not permit', async () => {
  for (const code of ['forbidden', 'not-found'] as const) {
    const { ask, calls } = createTestUnit({
      answers: {
        'gateway.permit': ({ route }: { route: string }) => (route === 'status' ? { name: 'ann', role: 'auditor' } : throwing(code)()),
      },
    })
    assert.equal((await ask('GET', home)).status, code === 'forbidden' ? 403 : 404)
    assert.equal((await ask('GET', `${home}/x`)).status, code === 'forbidden' ? 403 : 404)
    assert.equal((await ask('PUT', `${home}/x`, { body: 'x', headers: octets })).status, code === 'forbidden' ? 403 : 404)
    assert.equal((await ask('DELETE', `${home}/x`)).status, code === 'forbidden' ? 403 : 404)
    assert.ok(calls.every(({ name }) => !name.startsWith('runner.')))
  }
})

test('gives a file with its tag, as something that no browser shows', async () => {
  const { ask } = createTestUnit()
  const { status, text, headers } = await ask('GET', `${home}/out/${encodeURIComponent("é\u202e'\n.html")}`)
  assert.deepEqual([status, text], [200, 'hello'])
  assert.equal(headers.get('content-type'), 'application/octet-stream')
  assert.equal(headers.get('content-length'), '5')
  assert.equal(headers.get('content-disposition'), "attachment; filename*=UTF-8''%C3%A9%E2%80%AE%27%0A.html")
  assert.equal(headers.get('etag'), `"${'cd'.repeat(32)}"`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
})

test('gives the range that was asked for, and the whole where it is none', async () => {
  const { ask } = createTestUnit()
  for (const [range, status, text] of [
    ['bytes=1-2', 206, 'el'],
    ['bytes=3-', 206, 'lo'],
    ['bytes=-2', 206, 'lo'],
    ['bytes=0-99', 206, 'hello'],
    ['bytes=9-', 200, 'hello'],
    ['bytes=2-1', 200, 'hello'],
    ['bytes=0-1,3-4', 200, 'hello'],
    ['lines=1-2', 200, 'hello'],
    ['bytes=-', 200, 'hello'],
  ] as const) {
    const answer = await ask('GET', `${home}/x`, { headers: { range } })
    assert.deepEqual([answer.status, answer.text], [status, text], range)
    assert.equal(answer.headers.get('content-range') !== null, status === 206, range)
  }
})

test('gives an empty file, and no path that leads elsewhere', async () => {
  const { ask } = createTestUnit({ answers: holding(Buffer.alloc(0)) })
  const { status, text, headers } = await ask('GET', `${home}/x`)
  assert.deepEqual([status, text, headers.get('content-length')], [200, '', '0'])
  for (const path of ['a//b', '%2e%2e%2fsecret', 'a/..%2f..%2fb', 'x%00y']) {
    assert.ok([400, 404, 422].includes((await ask('GET', `${home}/${path}`)).status), path)
    assert.ok([400, 404, 422].includes((await ask('PUT', `${home}/${path}`, { body: 'x', headers: octets })).status), path)
    assert.ok([400, 404, 422].includes((await ask('DELETE', `${home}/${path}`)).status), path)
  }
  for (const name of ['a\u001b[2J', 'a\u202eb', 'a\nb']) {
    assert.equal((await ask('PUT', `${home}/${encodeURIComponent(name)}`, { body: 'x', headers: octets })).status, 422, name)
  }
})

test('tells the journal what came before it is in its place, and puts nothing that the journal does not take', async () => {
  const { ask, calls, named } = createTestUnit()
  const data = Buffer.concat([randomBytes(limits.filePart), Buffer.from('more')])
  const answer = await ask('PUT', `${home}/in/report.bin`, { body: data, headers: octets })
  assert.equal(answer.status, 200)
  const file = { place: 'workspace', path: 'in/report.bin', bytes: data.length, digest: createHash('sha256').update(data).digest('hex') }
  assert.deepEqual(answer.json(), file)
  assert.deepEqual(
    calls.slice(1).map(({ name }) => name),
    ['gateway.permit', 'gateway.group', 'runner.fileBegin', 'runner.filePart', 'runner.filePart', 'gateway.permit', 'runner.fileEnd'],
  )
  assert.deepEqual(named('gateway.permit').at(-1)?.params, { token: digest, route: 'files-put', agentGroupID: 'dev-agent', file })

  const deaf = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) =>
        route === 'files-put' ? throwing('audit-unwritable')() : { name: 'admin', role: 'admin' },
    },
  })
  assert.equal((await deaf.ask('PUT', `${home}/x`, { body: 'x', headers: octets })).status, 503)
  assert.deepEqual([deaf.named('runner.fileEnd').length, deaf.named('runner.fileDrop').length], [0, 1])
})

test('tells the journal what there is to remove before it goes, under whatever name, and removes nothing that the journal does not take', async () => {
  const { ask, calls, named } = createTestUnit({ answers: { 'runner.fileFind': () => ({ kind: 'link' }) } })
  const path = 'out/\u202eold\n'
  const answer = await ask('DELETE', `${home}/out/${encodeURIComponent('\u202eold\n')}?place=memory`)
  assert.deepEqual([answer.status, answer.text], [204, ''])
  assert.deepEqual(
    calls.slice(1).map(({ name }) => name),
    ['gateway.permit', 'runner.fileFind', 'gateway.permit', 'runner.fileRemove'],
  )
  const file = { place: 'memory', path, kind: 'link' }
  assert.deepEqual(named('gateway.permit').at(-1)?.params, { token: digest, route: 'files-remove', agentGroupID: 'dev-agent', file })
  assert.deepEqual(named('runner.fileRemove')[0]?.params, { agentGroupID: 'dev-agent', ...file })

  const deaf = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) =>
        route === 'files-remove' ? throwing('audit-unwritable')() : { name: 'admin', role: 'admin' },
    },
  })
  assert.equal((await deaf.ask('DELETE', `${home}/x`)).status, 503)
  assert.equal(deaf.named('runner.fileRemove').length, 0)
})

test('writes no line about what is not there or cannot be removed', async () => {
  for (const code of ['not-found', 'conflict'] as const) {
    const { ask, named } = createTestUnit({ answers: { 'runner.fileFind': throwing(code) } })
    assert.equal((await ask('DELETE', `${home}/x`)).status, code === 'not-found' ? 404 : 409)
    assert.ok(named('gateway.permit').every(({ params }) => params['route'] !== 'files-remove'))
    assert.equal(named('runner.fileRemove').length, 0)
  }
})

test('takes bytes alone, within the limit, and drops what ends early', async (t) => {
  const { ask, calls } = createTestUnit()
  assert.equal((await ask('PUT', `${home}/x`, { body: 'x', headers: { 'content-type': 'text/plain' } })).status, 415)
  assert.equal((await ask('PUT', `${home}/x`, { body: 'x', headers: { ...octets, 'content-encoding': 'gzip' } })).status, 415)
  const large = await ask('PUT', `${home}/x`, { body: Buffer.alloc(limits.file + 1), headers: octets })
  assert.equal(large.status, 413)
  assert.ok(calls.every(({ name }) => name !== 'runner.fileEnd'))

  const server = await startServer(t)
  const headers = { ...octets, authorization: `Bearer ${token}`, 'content-length': String(2 * limits.filePart) }
  const cut = request({ port: server.port, method: 'PUT', path: `${home}/x`, headers })
  cut.on('error', () => undefined)
  cut.write(Buffer.alloc(limits.filePart))
  await waitFor(() => server.calls.some(({ name }) => name === 'runner.filePart'), { what: 'the first part' })
  cut.destroy()
  await waitFor(() => server.calls.some(({ name }) => name === 'runner.fileDrop'), { what: 'a file that is given up' })
  assert.ok(server.calls.every(({ name }) => name !== 'runner.fileEnd'))
})

test('asks the runner for no part before its reader took the one before', async () => {
  const data = randomBytes(limits.file)
  const { request: ask, named } = createTestUnit({ answers: holding(data) })
  const { body } = await ask('GET', `${home}/x`)
  assert.ok(body !== null)
  const seen: number[] = []
  for await (const chunk of body) {
    assert.ok(chunk.length <= limits.filePart)
    seen.push(named('runner.fileRead').length)
  }
  // One read for what there is, then one for each part that was taken.
  assert.deepEqual(
    seen,
    Array.from({ length: 10 }, (_, index) => index + 2),
  )
})

test('ends the connection where the file changes, so that nobody takes a part for the whole', async (t) => {
  const data = randomBytes(limits.file)
  let parts = 0
  const changing = await startServer(t, {
    answers: {
      'runner.fileRead': (wanted: { offset: number; length: number }) => {
        if (wanted.length > 0 && (parts += 1) > 2) throw new ServiceError('conflict')
        return holding(data)['runner.fileRead'](wanted)
      },
    },
  })
  const cut = request({ port: changing.port, path: `${home}/x`, headers: { authorization: `Bearer ${token}` } }).end()
  await assert.rejects(async () => {
    const [broken] = (await once(cut, 'response')) as [IncomingMessage]
    for await (const chunk of broken) void chunk
  })
})
