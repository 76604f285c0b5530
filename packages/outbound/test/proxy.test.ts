// Through the operator's proxy: what it is asked for, and what it is never asked for.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import type { LookupAddress } from 'node:dns'
import { createOutlet, OutboundFailure, type Resolve } from '../src/index.ts'

let proxy: Server
const asked: { target: string; authorization: string | undefined }[] = []
beforeEach(async () => {
  asked.length = 0
  proxy = createServer()
  proxy.on('connect', (request, socket) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
})

const known: Record<string, string> = {
  'public.example': '93.184.216.34',
  'inside.example': '10.1.2.3',
  'metadata.example': '169.254.169.254',
}
const resolve: Resolve = (hostname, _, done) => {
  const address = known[hostname]
  if (address === undefined) return done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), [])
  const found: LookupAddress[] = [{ address, family: 4 }]
  done(null, found)
}
const dialled: string[] = []

const fetchBy = async (target: string, { reach = 'any', noProxy = [] as string[], credentials = '' } = {}): Promise<unknown> => {
  const url = new URL(target)
  const outlet = createOutlet({
    url,
    ownAddress: '127.0.0.1:8787',
    settings: { proxy: `http://${credentials}127.0.0.1:${(proxy.address() as AddressInfo).port}/`, noProxy, authorities: null },
    reach: reach === 'public' ? 'public' : 'any',
    most: 1024,
    resolve,
    dial: () => (to, done) => {
      dialled.push(to.hostname)
      done(new Error('the seam opens nothing'), null)
    },
  })
  try {
    return await outlet.fetch(url)
  } catch (error) {
    return error
  } finally {
    await outlet.close()
  }
}
const kind = (error: unknown): string | undefined => (error instanceof OutboundFailure ? error.kind : undefined)

test('asks the proxy for the host by its name, with the credentials of its url', async () => {
  assert.equal(kind(await fetchBy('https://public.example/a?b=c', { credentials: 'user:p%40ss@' })), 'proxy')
  assert.deepEqual(asked, [{ target: 'public.example:443', authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}` }])
})

test('leaves a name that is unknown here to the proxy, unless only public addresses will do', async () => {
  assert.equal(kind(await fetchBy('https://elsewhere.example:8443/')), 'proxy')
  assert.deepEqual(asked, [{ target: 'elsewhere.example:8443', authorization: undefined }])
  assert.equal(((await fetchBy('https://elsewhere.example/', { reach: 'public' })) as { code?: string }).code, 'ENOTFOUND')
  assert.equal(asked.length, 1)
})

for (const [target, reach] of [
  ['https://metadata.example/', 'any'],
  ['https://169.254.169.254/', 'any'],
  ['https://[fe80::1]/', 'any'],
  ['https://inside.example/', 'public'],
  ['https://10.0.0.1/', 'public'],
] as const)
  test(`never asks the proxy for ${target} where ${reach} addresses may be reached`, async () => {
    assert.equal(kind(await fetchBy(target, { reach })), 'address-refused')
    assert.deepEqual(asked, [])
  })

test('dials this machine and what SERVICE_NO_PROXY names without the proxy', async () => {
  dialled.length = 0
  await fetchBy('http://localhost:1/')
  await fetchBy('https://127.0.0.1:1/')
  for (const noProxy of ['inside.example', '.example', '*.example', '*']) await fetchBy('https://inside.example/', { noProxy: [noProxy] })
  await fetchBy('https://10.9.8.7/', { noProxy: ['10.0.0.0/8'] })
  assert.deepEqual(dialled, ['localhost', '127.0.0.1', ...Array<string>(4).fill('inside.example'), '10.9.8.7'])
  assert.deepEqual(asked, [])
})

test('takes no other domain and no other network for one that SERVICE_NO_PROXY names', async () => {
  for (const noProxy of ['side.example', 'inside.exampl', '10.0.0.0/8']) await fetchBy('https://inside.example/', { noProxy: [noProxy] })
  assert.equal(asked.length, 3)
})
