// What may not be found: texts of messages on the disk, values of variables anywhere.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { say } from '../src/chat.ts'
import { request } from '../src/http.ts'
import { stateEntries, stateFiles } from '../src/state-files.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { release, startUnit, type Unit } from '../src/unit.ts'

const canary = 'canary-5f1c0a77e2'

const holdsIn = async (unit: Unit, needle: string): Promise<string[]> => {
  const found: string[] = []
  for await (const { path, bytes } of stateFiles(unit)) if (bytes.includes(needle)) found.push(path)
  return found
}

test('no file of the state directory holds the text of a message', async (t) => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(unit.dispose)
  assert.equal(await say(unit, canary), `echo: ${canary}`)
  assert.deepEqual(await holdsIn(unit, canary), [])
  await unit.stop()
  assert.deepEqual(await holdsIn(unit, canary), [])
  assert.ok(!unit.lines.join('\n').includes(canary))
})

suite('a unit that an agent spoke in', () => {
  let unit: Unit
  before(async () => {
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--log-level', 'debug'], env: { SAMPLE_SECRET: canary } })
    await say(unit, 'hello')
  })
  after(() => unit?.dispose())

  test('every file of the state directory is 0600 and every directory 0700, but those that sandboxes are given', async () => {
    for await (const { path, found } of stateEntries(unit)) {
      if (path.startsWith('groups/')) continue
      assert.equal(found.mode & 0o777, found.isDirectory() ? 0o700 : 0o600, path)
    }
  })

  test('the value of a referenced variable is in no answer, record, log line or file', async () => {
    const server = `${unit.address}/v1/registry/mcp-servers/sample`
    const put = await request(server, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        transport: 'stdio',
        command: process.execPath,
        args: [join(release, 'mcp-sample.mjs')],
        env: { TOKEN: '${SAMPLE_SECRET}', LITERAL: `${canary}-literal` },
      }),
    })
    assert.equal(put.status, 200, put.text)
    assert.match(put.text, /\$\{SAMPLE_SECRET\}/)
    const probe = await request(`${server}/probe`, { method: 'POST' })
    assert.equal(probe.status, 200, probe.text)
    for (const { text } of [put, probe, await request(server), await request(`${unit.address}/v1/audit`)])
      assert.ok(!text.includes(canary), text)
    assert.ok(!unit.lines.join('\n').includes(canary))
    assert.deepEqual(await holdsIn(unit, canary), ['mcp-catalog.json'])
  })

  test('svcctl audit verify is green without the unit, and names the line of one flipped byte', async () => {
    await unit.stop()
    const verify = () => runSvcctl(['audit', 'verify', '--state-dir', unit.stateDir], { address: unit.address, home: unit.stateDir })
    const green = await verify()
    assert.equal(green.code, 0, green.stderr)

    const path = join(unit.stateDir, 'audit.jsonl')
    const bytes = await readFile(path)
    const at = bytes.indexOf('seed')
    assert.ok(at > 0)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(path, bytes)
    const red = await verify()
    assert.equal(red.code, 5, red.stderr)
    assert.match(`${red.stdout}${red.stderr}`, /line \d+/)
  })
})
