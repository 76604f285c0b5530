// Nobody comes in, and nobody is believed, without the secret of the edge.
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { defineEdge, type Edge } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { greetAsCaller, greetAsServer, type Hello } from '../src/hello.ts'
import { caller, edge, pair, recordLog, scratch, secret, serve } from './fixtures/edge.ts'
import { greeted, rawSocket, request } from './fixtures/raw.ts'

const other = defineEdge({ ...edge, server: 'gateway', caller: 'runner' })

/** What each end says until both are done or one refuses. */
const meet = (caller: { first: object; hello: Hello }, server: Hello): string => {
  const answer = server(caller.first)
  if ('refused' in answer) return `server: ${answer.refused}`
  const proof = caller.hello(answer.send)
  if ('refused' in proof) return `caller: ${proof.refused}`
  const end = server(proof.send)
  return 'refused' in end ? `server: ${end.refused}` : `open ${String(end.done)}`
}

test('opens for the right edge, version and secret, on either lane', () => {
  assert.equal(meet(greetAsCaller(edge, secret, 'main'), greetAsServer(edge, secret)), 'open main')
  assert.equal(meet(greetAsCaller(edge, secret, 'large'), greetAsServer(edge, secret)), 'open large')
})

test('each end refuses another secret, edge, service or version', () => {
  const rename = (change: Partial<Edge>): Edge => ({ ...edge, ...change })
  const met = (mine: Edge, theirs: Edge) => meet(greetAsCaller(mine, secret, 'main'), greetAsServer(theirs, secret))
  assert.match(meet(greetAsCaller(edge, 'wrong', 'main'), greetAsServer(edge, secret)), /^caller: expected a proof/)
  assert.match(met(other, edge), /^server: expected edge gateway\.broker, got gateway\.runner/)
  assert.match(met(rename({ caller: 'runner' }), edge), /^server: expected broker, got runner/)
  assert.match(met(edge, rename({ server: 'runner' })), /^caller: expected gateway, got runner/)
  assert.match(met(rename({ version: 2 }), edge), /^server: expected version 1 of gateway\.broker, got 2/)
})

test("the server refuses a caller that gives the server's own proof back, or one from another connection", () => {
  const server = greetAsServer(edge, secret)
  const { first, hello } = greetAsCaller(edge, secret, 'main')
  const answer = server(first) as { send: { proof: string } }
  assert.deepEqual(server({ proof: answer.send.proof }), { refused: 'expected a proof of the secret, got a wrong one' })
  const old = hello(answer.send) as { send: object }
  const later = greetAsServer(edge, secret)
  later(first)
  assert.ok('refused' in later(old.send))
})

test('closes the connection of a caller with a wrong secret and never runs its call', async (context) => {
  const path = await scratch(context)
  const { log, lines } = recordLog()
  let ran = false
  await serve(context, { path, over: { echo: ({ text }) => ((ran = true), { text }) }, log })
  const raw = await rawSocket(context, path)
  raw.send(greetAsCaller(edge, 'wrong', 'main').first)
  await raw.next()
  raw.send({ proof: '0'.repeat(64) })
  raw.send(request('echo', { text: 'x' }))
  await raw.closed()
  assert.equal(ran, false)
  assert.ok(lines.some(({ reason }) => reason?.startsWith('expected a proof')))
})

test('closes the connection of whoever says no hello, or one without an end', async (context) => {
  const path = await scratch(context)
  const { log, lines } = recordLog()
  await serve(context, { path, log })
  for (const bytes of [
    'GET / HTTP/1.1\r\n\r\n',
    `${JSON.stringify(request('echo', { text: 'x' }))}\n`,
    'x'.repeat(5_000),
    '[]\n',
    'null\n',
  ]) {
    const raw = await rawSocket(context, path)
    raw.write(bytes)
    await raw.closed()
  }
  assert.equal(lines.length, 5)
})

test('never sends the secret, nor a call, to an impostor on the path', async (context) => {
  const path = await scratch(context)
  let heard = ''
  const sockets: Socket[] = []
  const impostor = createServer((socket) => {
    sockets.push(socket)
    socket.on('data', (chunk) => {
      heard += String(chunk)
      socket.write(`${JSON.stringify({ service: 'gateway', edge: edge.name, version: 1, nonce: '0'.repeat(64), proof: '0'.repeat(64) })}\n`)
    })
  }).listen(path)
  context.after(() => impostor.close())
  const { log, lines } = recordLog()
  const client = caller(context, { path, log })
  await assert.rejects(client.calls.echo({ text: 'private' }), { code: 'unavailable' })
  await waitFor(() => lines.length > 0, { what: 'a log line' })
  assert.match(lines[0]?.reason ?? '', /expected a proof of the secret/)
  assert.equal(heard.includes(secret) || heard.includes('private'), false)
  client.close()
  for (const socket of sockets) socket.destroy()
})

test('refuses every method of another edge', async (context) => {
  const { path, lines } = await pair(context)
  const raw = await greeted(context, path, { edge, secret })
  const methods = ['decide', 'submit', 'constructor', 'toString', '__proto__', 'hasOwnProperty', '$functions', '']
  for (const [index, method] of methods.entries()) {
    raw.send(request(method, {}, index + 1))
    assert.deepEqual((await raw.next()).e, { code: 'forbidden', detail: 'expected a call of gateway.broker, got another' })
  }
  assert.equal(lines.filter(({ message }) => message.startsWith('call refused')).length, methods.length)
  raw.send(request('echo', { text: 'still served' }, 99))
  assert.deepEqual((await raw.next()).r, { text: 'still served' })
})
