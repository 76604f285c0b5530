// A state with live data under the schemas of the release before, started by this one; and the way back, by the backup that was made before.
// Profile: rest. Whole units of two releases; the store tests its migrations.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { demoToken, exits, stateFiles } from '@gatehouse/contracts'
import { allMessages, replyTo, say } from '../src/chat.ts'
import { descendants } from '../src/descendants.ts'
import { schemaOfDatabase, schemasOf, toNewerSchema, toOlderSchema } from '../src/older-schema.ts'
import { removeState } from '../src/remove-state.ts'
import { startSample } from '../src/sample-over-http.ts'
import { runStopped } from '../src/stopped.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'needs bwrap, install with: apt-get install -y bubblewrap'
if (skip !== false && process.env['CI'] === 'true') throw new Error(skip)

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const timeout = 180_000
const group = 'mock-agent'
const passphrase = 'a passphrase of the test 0123456789'

suite('a state of the release before', { skip, timeout: 360_000 }, () => {
  let folder: string
  let sample: Awaited<ReturnType<typeof startSample>>
  let held: string
  let unread: string
  let messages: Awaited<ReturnType<typeof allMessages>>
  let schemas: Awaited<ReturnType<typeof schemasOf>>
  const units: Unit[] = []
  const state = (): string => join(folder, 'state')
  const backup = (): string => join(folder, 'before.age')
  const start = async (stateDir: string, untilReady = true): Promise<Unit> => {
    const flags = ['--demo', '--sandbox', 'bubblewrap', '--mcp-catalog', join(stateDir, stateFiles.catalog)]
    const unit = await startUnit({ flags, token: demoToken, stateDir, untilReady })
    units.push(unit)
    return unit
  }
  const pendingIn = async ({ client }: Unit) => (await client.changes.pending({})).items.map(({ id }) => id)
  const callTool = (unit: Unit, word: string) =>
    waitFor('the tool to answer', 60_000, async () => (await say(unit, `tool:sample__echo {"text":"${word}"}`, group)) === word)
  const approve = async ({ client }: Unit, id: string) => {
    const { digest } = await client.changes.show(id)
    return (await client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone', digest })).state
  }
  const verify = async (stateDir: string): Promise<void> => {
    const { code, stderr } = await runSvcctl(['audit', 'verify', '--state-dir', stateDir], { address: 'http://127.0.0.1:9', home: folder })
    assert.equal(code, 0, stderr)
  }

  const backUp = async (unit: Unit): Promise<void> => {
    await writeFile(join(folder, 'passphrase'), passphrase, { mode: 0o600 })
    const args = ['backup', '--passphrase-file', join(folder, 'passphrase'), '--out', backup()]
    const taken = await runSvcctl(args, { address: unit.address, token: demoToken, home: folder })
    assert.equal(taken.code, 0, taken.stderr)
  }

  /** A grant that was used, a held change, messages, a token, a backup; then a message, and the power goes. */
  const live = async (): Promise<void> => {
    const unit = await start(state())
    const { client } = unit
    await client.servers.put('sample', { transport: 'http', url: sample.url })
    const grant = await client.changes.submit({ kind: 'mcp_access', agentGroupID: group, after: { server: 'sample', tools: ['echo'] } })
    assert.equal(await approve(unit, grant.id), 'applied')
    await callTool(unit, 'before')
    await client.tokens.create({ name: 'looker', role: 'auditor' })
    held = (await client.changes.submit({ kind: 'persona', agentGroupID: group, after: { instructions: 'held all the while' } })).id
    messages = await allMessages(unit, group)
    if (full) await backUp(unit)
    unread = (await client.chat.send({ agentGroupID: group, conversationId: 'late', text: 'read me' })).messageId
    const processes = await descendants(unit.pid)
    await unit.kill()
    // Nobody may write any more to what is made older.
    for (const pid of processes) await waitFor(`process ${pid} to be gone`, 60_000, () => !existsSync(`/proc/${pid}`))
  }

  before(async () => {
    folder = await freshDirectory()
    sample = await startSample()
    await live()
    schemas = await schemasOf(state())
    assert.ok((await toOlderSchema(state())) >= 2, 'the database, and the queue of a session')
  })
  after(async () => {
    for (const unit of units) await unit.stop()
    await sample?.stop()
    if (folder !== undefined) await removeState(folder)
  })

  test(
    'starts with all that was in it: what is held can be approved, what was not read is answered once, the journal is sound',
    { timeout },
    async () => {
      assert.notDeepEqual(await schemasOf(state(), 1), schemas)
      const unit = await start(state())
      const { client } = unit
      assert.equal(await replyTo(unit, unread, group), 'echo: read me')
      assert.deepEqual((await allMessages(unit, group)).slice(0, messages.length), messages)
      assert.deepEqual(await pendingIn(unit), [held])
      assert.equal(await approve(unit, held), 'applied')
      assert.deepEqual(
        (await client.tokens.list()).items.map(({ name }) => name),
        ['looker'],
      )
      await callTool(unit, 'after')
      const { items } = await client.audit.calls({ op: 'call', status: 'ok' })
      assert.equal(items.length, 2)
      await unit.stop()
      await verify(state())
      assert.deepEqual(await schemasOf(state()), schemas)
    },
  )

  test('is no longer one of the release before, which says so and writes nothing', { timeout }, async () => {
    await assert.rejects(schemasOf(state(), 1), new RegExp(`expected schema ${schemaOfDatabase - 1} or older, got ${schemaOfDatabase}`))
    await toNewerSchema(state())
    const refused = await start(state(), false)
    assert.equal((await refused.exited).code, exits.configuration)
    const text = refused.lines.join('\n')
    assert.match(text, new RegExp(`gateway\\.db: expected schema ${schemaOfDatabase} or older, got ${schemaOfDatabase + 1}`))
    assert.match(text, /start the newer release that wrote it, or restore a backup of this release/)
  })

  const rollBack = async () => {
    const stateDir = join(folder, 'rolled-back')
    const restored = await runStopped(['restore', backup(), '--passphrase-file', join(folder, 'passphrase'), '--state-dir', stateDir])
    assert.equal(restored.code, 0, restored.text)
    await toOlderSchema(stateDir)
    const unit = await start(stateDir)
    assert.equal((await unit.client.status()).frozen.length, 1)
    assert.deepEqual(await allMessages(unit, group), messages)
    assert.deepEqual(await pendingIn(unit), [held])
    await unit.client.freezes.unfreeze({ reason: 'looked' })
    await callTool(unit, 'rolled back')
    await unit.stop()
    await verify(stateDir)
    await rm(stateDir, { recursive: true })
  }
  if (full) test('is there again, as it was, by the backup that was made before; frozen until somebody has looked', { timeout }, rollBack)
})
