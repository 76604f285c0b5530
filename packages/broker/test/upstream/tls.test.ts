// Certificates: one of a private authority is believed when the operator names the authority; every other fault is refused in
// words of ours.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { inspect } from 'node:util'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { ServerName } from '@gatehouse/contracts'
import { type Bench, createBench, sessionOne } from '../fixtures/bench.ts'

let directory: string
const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
/** Days of validity. */
const dates = { now: '2', past: '-1' }

/** Signed by the authority, or by itself. */
const issue = (
  name: string,
  { names, when = 'now', by = 'ca' }: { names: string; when?: keyof typeof dates; by?: string | null },
): void => {
  writeFileSync(join(directory, `${name}.ext`), `subjectAltName=${names}\n`)
  openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=marker-in-the-certificate')
  const signer = by === null ? ['-signkey', `${name}.key`] : ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial']
  openssl('x509', '-req', '-in', `${name}.csr`, ...signer, '-days', dates[when], '-extfile', `${name}.ext`, '-out', `${name}.pem`)
}

let bench: Bench
let server: Server | undefined
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'gh-tls-'))
  for (const ca of ['ca', 'other'])
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${ca}.key`,
      '-out',
      `${ca}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${ca}`,
    )
  issue('good', { names: 'DNS:localhost,IP:127.0.0.1' })
  issue('wrong-name', { names: 'DNS:elsewhere.example' })
  issue('expired', { names: 'DNS:localhost', when: 'past' })
  issue('self-signed', { names: 'DNS:localhost', by: null })
  issue('other-authority', { names: 'DNS:localhost', by: 'other' })
})
after(() => rmSync(directory, { recursive: true, force: true }))
beforeEach(async () => {
  bench = await createBench()
})
afterEach(async () => {
  await bench.stop()
  server?.closeAllConnections()
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
  server = undefined
})

const read = (name: string): string => readFileSync(join(directory, name), 'utf8')
const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }

const serve = async (certificate: string): Promise<{ port: number; asked: () => number }> => {
  let asked = 0
  const made = createServer({ key: read(`${certificate}.key`), cert: read(`${certificate}.pem`) }, (request, response) => {
    asked += 1
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body || '{}') as { id?: number; method?: string; params?: { protocolVersion?: string } }
      if (method === 'server/discover' || request.method !== 'POST') return void response.writeHead(400).end()
      if (id === undefined) return void response.writeHead(202).end()
      const begun = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tls', version: '1' } }
      const result = method === 'initialize' ? begun : { tools: [] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  server = made
  await new Promise<void>((resolve) => void made.listen(0, '127.0.0.1', resolve))
  return { port: (made.address() as AddressInfo).port, asked: () => asked }
}

const probe = async (url: string, authorities: string | null): Promise<unknown> => {
  bench.gateway.catalog = { tls: { transport: 'http', url, headers: { Authorization: 'Bearer ${TOKEN}' } } }
  bench.gateway.grants = { [sessionOne]: { tls: [] } }
  await bench.start({ outbound: { proxy: null, noProxy: [], authorities }, variables: { TOKEN: 'tok-tok-tok-tok' } })
  try {
    return await bench.broker.controlPlane.probe({ name: 'tls' as ServerName }, context)
  } catch (error) {
    return error
  }
}

for (const host of ['localhost', '127.0.0.1'])
  test(`believes a certificate of the operator's authority for ${host}`, async () => {
    const { port } = await serve('good')
    const found = (await probe(`https://${host}:${port}/mcp`, read('ca.pem'))) as { server?: { name: string } }
    assert.equal(found.server?.name, 'tls', inspect(found))
  })

for (const [certificate, authority] of [
  ['good', null],
  ['wrong-name', 'ca'],
  ['expired', 'ca'],
  ['self-signed', 'ca'],
  ['other-authority', 'ca'],
] as const)
  test(`refuses a certificate: ${certificate}, ${authority === null ? 'authority not named' : 'authority named'}`, async () => {
    const { port, asked } = await serve(certificate)
    const refused = (await probe(`https://localhost:${port}/mcp`, authority === null ? null : read(`${authority}.pem`))) as {
      detail?: string
    }
    assert.equal(refused.detail, 'the certificate of the server cannot be verified')
    assert.equal(asked(), 0)
    assert.equal((await bench.call('tls__any')).error?.code, 'server-unavailable')
    assert.doesNotMatch(bench.logLines.join(), /marker-in-the-certificate|elsewhere\.example|tok-tok/)
  })
