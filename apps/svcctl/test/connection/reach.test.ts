// What stands between svcctl and a unit: each case says what to do.
import assert from 'node:assert/strict'
import { createServer as createHttp } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { test, type TestContext } from 'node:test'
import { svcctl } from '../svcctl.ts'

const listen = async (t: TestContext, server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

const status = (addr: string, env: Record<string, string> = {}) => svcctl(['status', '--addr', addr], { env })

test('a name that nobody knows', async () => {
  const { code, stderr } = await status('http://unit.invalid:8787')
  assert.equal(code, 9)
  assert.match(stderr, /cannot resolve the host name.*\nTry: check the name/)
})

test('something that does not speak HTTP, or hangs up', async (t) => {
  const noise = await listen(
    t,
    createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-noise\r\n\r\n')),
  )
  const { code, stderr } = await status(`http://127.0.0.1:${noise}`)
  assert.equal(code, 9)
  assert.match(stderr, /the connection to .*\nTry: check the port/)
})

test('https at a unit that speaks http', async (t) => {
  const plain = await listen(
    t,
    createHttp((_, response) => response.end('{}')),
  )
  const { code, stderr } = await status(`https://127.0.0.1:${plain}`)
  assert.equal(code, 9)
  assert.match(stderr, /does not speak TLS.*\nTry: /)
})

test('a page of something in front of the unit, and an answer of another service', async (t) => {
  const page = createHttp((_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway\u001b[2J</h1>'))
  const other = createHttp((_, response) => response.end('{"hello":"\u001b[2J"}'))
  const first = await status(`http://127.0.0.1:${await listen(t, page)}`)
  assert.match(first.stderr, /Try: check that the address is that of a unit, and not of a proxy in front of it/)
  const second = await status(`http://127.0.0.1:${await listen(t, other)}`)
  assert.match(second.stderr, /Try: check that .* is a unit of the same version/)
  for (const { stderr, code } of [first, second]) {
    assert.notEqual(code, 0)
    assert.doesNotMatch(stderr, /\u001b/)
  }
})

test('a proxy that is not there is named, and no proxy is asked for plain http', async (t) => {
  const gone = createServer()
  const port = await listen(t, gone)
  await new Promise((resolve) => gone.close(resolve))
  const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` }
  const { code, stderr } = await status('https://unit.invalid', env)
  assert.equal(code, 9)
  assert.match(stderr, /the proxy.*\nTry: check HTTPS_PROXY/)
  const direct = await listen(
    t,
    createHttp((_, response) => response.writeHead(502).end()),
  )
  assert.equal((await status(`http://127.0.0.1:${direct}`, env)).code, 1)
})
