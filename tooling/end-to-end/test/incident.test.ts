// The page about incidents, followed word for word on a unit: each line of its code runs, in its order, and does what it says.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { applyChange } from '../src/changes.ts'
import { say } from '../src/chat.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { root, startUnit, type Unit } from '../src/unit.ts'

let unit: Unit
before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
})
after(() => unit.dispose())

const svcctl = (args: readonly string[]) => runSvcctl(args, { address: unit.address, home: unit.stateDir })

const linesOf = (page: string): string[] =>
  [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/\s+#.*$/, '')),
  )

const wordsOf = (line: string): string[] => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

const isAllowed = async (): Promise<boolean> => (await unit.client.explain('dev-agent', 'sample__echo')).allowed

test('freeze, investigate, explain, revoke and lift go as the page says', async () => {
  let change = await applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })
  assert.match(await say(unit, 'tool:sample__echo {"text":"hi"}'), /hi/)
  const session = (await unit.client.sessions.list()).items[0]?.id ?? ''
  assert.equal((await svcctl(['token', 'create', 'mallory', '--role', 'requester'])).code, 0)
  assert.equal(await isAllowed(), true)

  const places = { SESSION: () => session, CHANGE: () => change, '/var/lib/gatehouse/state': () => unit.stateDir }
  const filled = (word: string): string => Object.entries(places).find(([name]) => name === word)?.[1]() ?? word
  const lines = linesOf(await readFile(join(root, 'docs/how-to/incident.md'), 'utf8'))
  assert.ok(lines.length > 20 && lines.every((line) => line.startsWith('svcctl ')), lines.join('\n'))
  for (const line of lines) {
    const [, ...args] = wordsOf(line).map(filled)
    const { code, stdout, stderr } = await svcctl(args)
    assert.equal(code, args[0] === 'explain' ? 6 : 0, `${line}\n${stdout}\n${stderr}`)
    if (args[0] === 'explain') assert.match(stdout, (await unit.client.status()).frozen.length > 0 ? /frozen/ : /revoked/)
    if (args[0] === 'mcp' && args[1] === 'revoke') change = stdout.trim()
    if (args[0] === 'change' && args[1] === 'approve')
      assert.equal((await unit.client.changes.show(change)).state, 'applied', 'under the freeze')
  }

  assert.equal(await isAllowed(), false)
  assert.deepEqual((await unit.client.status()).frozen, [])
  assert.equal(
    (await unit.client.tokens.list()).items.some(({ name }) => name === 'mallory'),
    false,
  )
})
