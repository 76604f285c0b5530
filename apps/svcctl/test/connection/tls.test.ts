// A unit behind real TLS and a real proxy, and Ctrl-C while it is silent: each case says what to do, and none the token.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createPlain } from 'node:http'
import { createServer } from 'node:https'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { status as contents } from '../contents.ts'
import { cache, program, svcctl } from '../svcctl.ts'

const secret = 'S3CR3T-token-of-the-test'
let home = ''
const servers: Server[] = []

const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: home, stdio: 'ignore' })
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Signed by itself, or by the authority of the test. */
const certify = (name: string, { host = 'IP:127.0.0.1', signed = false, days = '2' } = {}): void => {
  if (!signed) {
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      days,
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=${host}`,
    )
    return
  }
  openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
  writeFileSync(join(home, `${name}.ext`), `subjectAltName=${host}\n`)
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    'authority.pem',
    '-CAkey',
    'authority.key',
    '-CAcreateserial',
    '-days',
    days,
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.pem`,
  )
}

const listen = async (server: Server): Promise<number> => {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const unitWith = async (name: string): Promise<string> => {
  const files = { key: readFileSync(join(home, `${name}.key`)), cert: readFileSync(join(home, `${name}.pem`)) }
  return `https://127.0.0.1:${await listen(createServer(files, (_, response) => response.end(JSON.stringify(contents))))}`
}

const ask = async (address: string, env: Record<string, string> = {}) => {
  const ended = await svcctl(['status', '--addr', address], { env: { SERVICE_API_TOKEN: secret, ...env } })
  assert.ok(!(ended.stdout + ended.stderr).includes(secret))
  return ended
}

suite('a unit behind TLS', () => {
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'svcctl-tls-'))
    openssl('req', '-x509', ...key, '-keyout', 'authority.key', '-out', 'authority.pem', '-days', '2', '-subj', '/CN=own authority')
    certify('itself')
    certify('signed', { signed: true })
    certify('elsewhere', { signed: true, host: 'DNS:elsewhere.invalid' })
  })
  after(() => {
    for (const server of servers) server.close()
    rmSync(home, { recursive: true })
  })

  test('that signed its certificate itself, or has it from an own authority, is trusted once that is named', async () => {
    for (const [name, authority] of [
      ['itself', 'itself.pem'],
      ['signed', 'authority.pem'],
    ] as const) {
      const address = await unitWith(name)
      const refused = await ask(address)
      assert.equal(refused.code, 9)
      assert.match(refused.stderr, /the certificate of .* is not trusted.*\nTry: set SERVICE_CA_FILE to the certificate of the authority/)
      const trusted = await ask(address, { SERVICE_CA_FILE: join(home, authority) })
      assert.equal(trusted.code, 0, trusted.stderr)
    }
  })

  test('whose certificate names another host is not asked, whoever signed it', async () => {
    const { code, stderr } = await ask(await unitWith('elsewhere'), { SERVICE_CA_FILE: join(home, 'authority.pem') })
    assert.equal(code, 9)
    assert.match(stderr, /renew the certificate if it has expired or is for another name/)
  })

  test('is reached through a proxy, which sees no token; one that refuses is named', async () => {
    const address = await unitWith('signed')
    const seen: string[] = []
    const refusing = createPlain()
    refusing.on('connect', (_, socket: Socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    const passing = createPlain()
    passing.on('connect', ({ url = '', headers }, socket: Socket) => {
      seen.push(url, JSON.stringify(headers))
      const on = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        on.pipe(socket)
        socket.pipe(on)
      })
      for (const end of [on, socket]) end.on('error', () => undefined)
    })
    const env = { SERVICE_CA_FILE: join(home, 'authority.pem') }
    const through = await ask(address, { ...env, HTTPS_PROXY: `http://127.0.0.1:${await listen(passing)}` })
    assert.equal(through.code, 0, through.stderr)
    assert.equal(seen[0], address.slice('https://'.length))
    assert.ok(!seen.join(' ').includes(secret))
    const refused = await ask(address, { ...env, HTTPS_PROXY: `http://127.0.0.1:${await listen(refusing)}` })
    assert.equal(refused.code, 9)
    assert.match(refused.stderr, /proxy.*\nTry: check HTTPS_PROXY/)
  })
})

suite('a unit that is silent', () => {
  const silent = async (): Promise<string> =>
    `http://127.0.0.1:${await listen(createPlain((_, response) => void response.writeHead(200, { 'content-length': '99' }).write('half')))}`
  after(() => servers.forEach((server) => server.close()))

  test('is left by Ctrl-C, with no trace, no half a file and no token', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svcctl-silent-'))
    const address = await silent()
    for (const args of [['status'], ['change', 'watch'], ['chat', 'g', 'hi'], ['files', 'get', 'g', 'x'], ['mcp', 'list'], ['export']]) {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: directory,
        env: { PATH: process.env['PATH'], HOME: directory, XDG_CACHE_HOME: cache, SERVICE_API_URL: address, SERVICE_API_TOKEN: secret },
      })
      const server = servers.at(-1)
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const closed = once(child, 'close')
      if (server !== undefined) await once(server, 'request')
      child.kill('SIGINT')
      const [code, signal] = (await closed) as [number | null, string | null]
      assert.ok(code === 130 || signal === 'SIGINT', `${args.join(' ')}: ${code} ${signal}`)
      assert.ok(!output.includes(secret) && !/\n +at /.test(output), output)
    }
    assert.deepEqual(readdirSync(directory), [])
    rmSync(directory, { recursive: true })
  })

  if (process.env['GATEHOUSE_PROFILE'] === 'full') {
    test('is given up after its time, with what to do', async () => {
      const { code, stderr } = await ask(await silent())
      assert.equal(code, 9)
      assert.match(stderr, /in time\nTry: try again/)
    })
  }
})
