// The program as people start it.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { timeout } from './fixtures/provider.ts'

const start = (context: TestContext, args: readonly string[]): ChildProcess => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  context.after(() => child.kill('SIGKILL'))
  return child
}

const outputOf = async (child: ChildProcess): Promise<{ stdout: string; stderr: string; code: number | null }> => {
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...said, code }
}

describe('the program', timeout, () => {
  it('explains itself, and what it cannot read', async (t) => {
    const help = await outputOf(start(t, ['--help']))
    assert.match(help.stdout, /needs no key and no network/)
    assert.equal(help.code, 0)
    const directory = await mkdtemp(join(tmpdir(), 'scripted-'))
    t.after(() => rm(directory, { recursive: true }))
    await writeFile(join(directory, 'script'), 'say hi\nsing aloud\n')
    const wrong = await outputOf(start(t, ['--script', join(directory, 'script')]))
    assert.match(wrong.stderr, /line 2 of the script: expected a directive, got sing aloud/)
    assert.equal(wrong.code, 2)
  })

  it('answers on a unix socket, writes down what it was asked without the key, and ends when told', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'scripted-'))
    t.after(() => rm(directory, { recursive: true }))
    const [socketPath, log] = [join(directory, 'model.sock'), join(directory, 'log')]
    const child = start(t, ['--socket', socketPath, '--log', log])
    assert.ok(child.stdout)
    await once(child.stdout, 'data')
    const sent = request({
      socketPath,
      method: 'POST',
      path: '/compatible/v1/chat/completions',
      headers: { authorization: 'Bearer canary-key' },
    })
    sent.end(JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hello' }] }))
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
    assert.match(Buffer.concat(await response.toArray()).toString(), /echo: hello/)
    const written = await readFile(log, 'utf8')
    assert.match(written, /"path":"\/compatible\/v1\/chat\/completions"/)
    assert.doesNotMatch(written, /canary-key/)
    child.kill('SIGTERM')
    assert.equal((await outputOf(child)).code, 0)
  })
})
