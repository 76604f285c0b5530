// Socket paths are not truncated, not taken over from another process, and not accessible to others.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, lstat, mkdir, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { execa } from 'execa'
import { listenUnix, Refusal } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const server = (context: TestContext): Server => {
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello'))
  context.after(() => server.close())
  return server
}

const ask = async (path: string): Promise<string> => {
  const socket = connect(path)
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  await once(socket, 'close')
  return text
}

const stale = async (path: string): Promise<void> => {
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await execa(process.execPath, ['-e', program], { reject: false })
  assert.ok((await lstat(path)).isSocket())
}

test('the socket has mode 0600 or the requested mode, and the umask is unchanged', async (context) => {
  const directory = await scratch(context)
  const before = process.umask(0o021)
  context.after(() => process.umask(before))
  await listenUnix(server(context), join(directory, 'a.sock'))
  await listenUnix(server(context), join(directory, 'b.sock'), { mode: 0o660, gid: process.getgid?.() ?? 0 })
  assert.equal((await stat(join(directory, 'a.sock'))).mode & 0o777, 0o600)
  assert.equal((await stat(join(directory, 'b.sock'))).mode & 0o777, 0o660)
  assert.equal(process.umask(before), 0o021)
  assert.equal(await ask(join(directory, 'a.sock')), 'hello')
})

test('paths that the kernel would truncate are refused', async (context) => {
  const directory = join(await scratch(context), 'd'.repeat(100))
  await mkdir(directory, { mode: 0o700 })
  for (const name of ['one.sock', 'two.sock']) {
    await assert.rejects(listenUnix(server(context), join(directory, name)), (error) => error instanceof Refusal && error.exit === 78)
  }
})

test('the socket of an ended process is replaced', async (context) => {
  const path = join(await scratch(context), 'a.sock')
  await stale(path)
  await listenUnix(server(context), path)
  assert.equal(await ask(path), 'hello')
})

test('a socket that another process serves is refused and kept', async (context) => {
  const path = join(await scratch(context), 'a.sock')
  await listenUnix(server(context), path)
  await assert.rejects(listenUnix(server(context), path), (error) => error instanceof Refusal && error.exit === 75)
  assert.equal(await ask(path), 'hello')
})

test('a stale socket in a directory that others may write is refused and kept', async (context) => {
  const directory = await scratch(context)
  await stale(join(directory, 'a.sock'))
  await chmod(directory, 0o777)
  await assert.rejects(
    listenUnix(server(context), join(directory, 'a.sock')),
    (error) => error instanceof Refusal && error.detail.includes('others may write'),
  )
  assert.ok((await lstat(join(directory, 'a.sock'))).isSocket())
})

test('a file that is not a socket is refused and kept', async (context) => {
  const path = join(await scratch(context), 'a.sock')
  await writeFile(path, 'precious')
  await assert.rejects(listenUnix(server(context), path), (error) => error instanceof Refusal && error.exit === 75)
  assert.equal((await stat(path)).size, 8)
})
