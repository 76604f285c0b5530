// What an agent is bundled to: a small program for all, and the model's part for those who load it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { bundle } from '../src/bundle.ts'
import { targets } from '../src/targets.ts'

describe('the bundles of the agent', { timeout: 300_000 }, () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bundles-'))
    const target = targets.find(({ output }) => output === 'agent.mjs')
    assert.ok(target)
    await bundle(target, folder)
    return () => rm(folder, { recursive: true })
  })

  it('keep the mock small, and away from what makes a start slow', async (t) => {
    const [agent, model] = await Promise.all(['agent.mjs', 'model.mjs'].map((name) => readFile(join(folder, name), 'utf8')))
    t.diagnostic(`agent.mjs ${Math.ceil((agent ?? '').length / 1024)} KiB, model.mjs ${Math.ceil((model ?? '').length / 1024)} KiB`)
    assert.ok((agent ?? '').length < 32 * 1024)
    assert.ok((model ?? '').length < 1200 * 1024)
    assert.doesNotMatch(agent ?? '', /from\s*["'](node:)?(http|\.\/model)/)
    assert.doesNotMatch(model ?? '', /from\s*["'](node:)?http["']|ai-gateway\.vercel\.sh/)
  })

  it('run together: an agent with a model asks for its message', async (t) => {
    const [socket, asked] = [join(folder, 'session.sock'), Promise.withResolvers<string>()]
    const host = createServer((request, response) => {
      if (request.url !== '/session') return asked.resolve(request.url ?? '')
      response.end(JSON.stringify({ session: 's', agent: 'model', persona: '', tools: [], model: { provider: 'compatible', id: 'any' } }))
    })
    host.listen(socket)
    await once(host, 'listening')
    const env = { GATEHOUSE_SESSION_SOCKET: socket, GATEHOUSE_TOOLS_SOCKET: join(folder, 'none'), GATEHOUSE_MEMORY: folder }
    const agent = spawn(process.execPath, [join(folder, 'agent.mjs')], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    t.after(async () => {
      agent.kill('SIGKILL')
      const closed = once(host, 'close')
      host.close()
      host.closeAllConnections()
      await closed
    })
    assert.match(await asked.promise, /^\/inbox/)
  })
})
