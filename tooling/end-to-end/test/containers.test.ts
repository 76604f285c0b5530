// Local tool servers in containers, in a whole unit: registered, granted, called, killed; and what they are given is nowhere else.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { SampleImage } from '@gatehouse/images'
import { say } from '../src/chat.ts'
import { openTools, type ToolsSocket } from '../src/tools-socket.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { containersOf, dropImage, inspect, lacking, ownImage } from './fixtures/container-world.ts'

const canary = `canary-${randomBytes(8).toString('hex')}`
const referenced = `canary-${randomBytes(8).toString('hex')}`

const skip = await lacking('docker')

describe('local tool servers in containers', { skip, timeout: 240_000 }, () => {
  let unit: Unit
  let tools: ToolsSocket
  let image: SampleImage

  before(async () => {
    image = await ownImage('docker')
    unit = await startUnit({
      flags: ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'docker', '--mcp-image', image.image],
      env: { CANARY_VALUE: referenced },
    })
  })
  after(async () => {
    tools?.close()
    await unit?.dispose()
    await dropImage('docker', image)
  })

  const { command, args } = { command: '/bin/node', args: ['/app/mcp-sample.mjs'] }
  const grant = async (server: string): Promise<void> => {
    const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server, tools: ['echo'] } })
    await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  }
  const echo = async (server: string, text: string): Promise<string | undefined> =>
    (await tools.call(`${server}__echo`, { text })).body.content?.[0]?.text
  const only = async (): Promise<string> =>
    waitFor('one container', 30_000, async () => {
      const names = await containersOf('docker', unit)
      return names.length === 1 ? names[0] : undefined
    })

  test('an entry without an image runs in that of --mcp-image, granted and called', async () => {
    await unit.client.servers.put('boxed', { transport: 'stdio', command, args, env: { TOKEN: canary, OTHER: '${CANARY_VALUE}' } })
    const { tools: declared, image: used } = await unit.client.servers.probe('boxed')
    assert.deepEqual(
      declared.map(({ name }) => name),
      ['echo', 'add'],
    )
    assert.deepEqual(used, { id: image.id, pinned: false })
    assert.deepEqual(await containersOf('docker', unit), [], 'a probe leaves nothing behind')
    await grant('boxed')
    await say(unit, 'hello')
    tools = await openTools(unit)
    assert.equal(await echo('boxed', 'from inside'), 'from inside')
    assert.equal((await unit.client.servers.show('boxed')).state?.image?.id, image.id)
  })

  test('values reach the server, and no argument of a program or word of the engine beside its environment', async () => {
    const container = await only()
    const seen = await inspect('docker', container)
    const { Config, ...rest } = seen as unknown as { Config: { Env: string[] } }
    assert.ok(Config.Env.includes(`TOKEN=${canary}`) && Config.Env.includes(`OTHER=${referenced}`))
    const { Env: _env, ...config } = Config
    assert.doesNotMatch(JSON.stringify({ rest, config }), new RegExp(`${canary}|${referenced}`))
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      assert.ok(!line.includes(canary) && !line.includes(referenced), `the arguments of process ${pid}`)
    }
    assert.doesNotMatch(unit.lines.join('\n'), new RegExp(`${canary}|${referenced}`))
  })

  test('an image of the entry is pinned to its id and takes the place of the default; one that is not there is named', async () => {
    const put = await unit.client.servers.put('pinned', { transport: 'stdio', command, args, image: image.image })
    assert.equal(put.entry.transport === 'stdio' && put.entry.imageID, image.id)
    assert.deepEqual((await unit.client.servers.probe('pinned')).image, { id: image.id, pinned: true })
    await unit.client.servers.put('absent', { transport: 'stdio', command, args, image: 'gatehouse-nowhere:1' })
    await assert.rejects(unit.client.servers.probe('absent'), /expected the image gatehouse-nowhere:1 on this host, got none/)
  })

  test('a command that the image does not have is named as such', async () => {
    await unit.client.servers.put('wrong', { transport: 'stdio', command: '/bin/nothing', args: [] })
    await assert.rejects(unit.client.servers.probe('wrong'), /command not found/)
  })

  test('a variable that would steer the engine is refused, and nothing is started', async () => {
    await unit.client.servers.put('steered', { transport: 'stdio', command, args, env: { LD_PRELOAD: '/tmp/x.so' } })
    await assert.rejects(unit.client.servers.probe('steered'), /LD_PRELOAD/)
  })

  test('after broker and runner were killed nothing of before is left, and the next call works', async () => {
    const old = await only()
    for (const name of ['broker', 'runner']) process.kill(await unit.pidOf(name), 'SIGKILL')
    await waitFor('the earlier container to be gone', 60_000, async () => !(await containersOf('docker', unit)).includes(old))
    await waitFor('a call that works again', 60_000, async () => (await echo('boxed', 'again').catch(() => undefined)) === 'again')
    assert.notEqual(await only(), old)
  })

  test('a unit that stops takes its containers along', async () => {
    await only()
    await unit.stop()
    assert.deepEqual(await containersOf('docker', unit), [])
  })
})
