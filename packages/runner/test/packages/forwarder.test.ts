// The way to the registry, where its certificate is signed by an authority that the unit does not know.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { silentLogger } from '@gatehouse/kernel'
import { openForwarder } from '../../src/packages/forwarder.ts'

test('a registry with a certificate of a private authority is named as such, with the setting that trusts it', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'forwarder-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [key, cert, socket] = ['key.pem', 'cert.pem', 'out.sock'].map((name) => join(directory, name)) as [string, string, string]
  const own = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  ]
  await promisify(execFile)('openssl', ['req', '-x509', ...own, '-keyout', key, '-out', cert])
  const registry = createServer({ key: await readFile(key), cert: await readFile(cert) }, (_request, response) => response.end('{}'))
  registry.listen(0, 'localhost')
  await once(registry, 'listening')
  t.after(() => registry.close())
  const { port } = registry.address() as { port: number }
  const way = await openForwarder({
    registry: `https://localhost:${port}/`,
    ownAddress: '127.0.0.1:1',
    outbound: { proxy: null, noProxy: [], authorities: null },
    socket,
    gid: undefined,
    log: silentLogger,
  })
  t.after(() => way.close())
  assert.equal(way.fault(), undefined)
  const statusCode = await new Promise<number | undefined>((resolve, reject) => {
    const asked = { socketPath: socket, path: '/is-odd', headers: { host: `localhost:${port}` } }
    get(asked, (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
  assert.equal(statusCode, 502)
  assert.match(
    way.fault() ?? '',
    /certificate of the registry localhost:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*SERVICE_CA_FILE/,
  )
})
