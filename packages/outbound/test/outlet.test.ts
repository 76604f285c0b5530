// One way out: what is refused, and what happens to an answer that nobody reads to its end.
import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from 'node:test'
import { createOutlet, type Outlet } from '../src/index.ts'

const open: { server: Server; outlet: Outlet }[] = []
afterEach(async () => {
  for (const { server, outlet } of open.splice(0)) {
    await outlet.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const begin = async (listener: RequestListener, streams = false): Promise<{ url: URL; outlet: Outlet }> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const outlet = createOutlet({
    url,
    ownAddress: '127.0.0.1:8787',
    settings: { proxy: null, noProxy: [], authorities: null },
    most: 1024,
    streams,
  })
  open.push({ server, outlet })
  return { url, outlet }
}

test('gives up an answer that nobody reads without harm to the process', async () => {
  const isCut = Promise.withResolvers<void>()
  const { url, outlet } = await begin((_, response) => {
    response.on('close', () => isCut.resolve())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
  })
  const leaving = new AbortController()
  const uncaught: unknown[] = []
  const listen = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtException', listen)
  const response = await outlet.fetch(url, { signal: leaving.signal })
  assert.equal(response.status, 200)
  leaving.abort()
  await isCut.promise
  await new Promise((resolve) => setImmediate(resolve))
  process.off('uncaughtException', listen)
  assert.deepEqual(uncaught, [])
})

test('asks no other origin, and follows no redirect', async () => {
  let asked = 0
  const { url, outlet } = await begin((_, response) => {
    asked += 1
    response.writeHead(307, { location: 'https://example.com/' }).end()
  })
  await assert.rejects(outlet.fetch(url), { kind: 'redirected' })
  await assert.rejects(outlet.fetch('https://example.com/'), { kind: 'redirected' })
  await assert.rejects(outlet.fetch(url.href.replace('127.0.0.1', '127.0.0.2')), { kind: 'redirected' })
  assert.equal(asked, 1)
})

test('cuts an answer at its limit', async () => {
  const { url, outlet } = await begin((_, response) => void response.writeHead(200).end('x'.repeat(1025)))
  const response = await outlet.fetch(url)
  await assert.rejects(response.text(), { kind: 'too-large' })
})

const isCut = async (status: number, type: string, streams: boolean): Promise<boolean> => {
  const { url, outlet } = await begin((_, response) => {
    response.writeHead(status, { 'content-type': type }).end(':\n\n'.repeat(400))
  }, streams)
  return (await outlet.fetch(url)).text().then(
    () => false,
    () => true,
  )
}

test('takes a stream of events to be without end only where one was asked for, and is one', async () => {
  assert.equal(await isCut(200, 'text/event-stream; charset=utf-8', true), false)
  assert.equal(await isCut(200, 'Text/Event-Stream', true), false)
  assert.equal(await isCut(200, 'text/event-stream', false), true)
  for (const status of [201, 202, 401, 405, 500]) assert.equal(await isCut(status, 'text/event-stream', true), true, String(status))
  for (const type of ['text/event-streams', 'text/html, text/event-stream', '']) assert.equal(await isCut(200, type, true), true, type)
})
