// What a unit keeps, and for how long: a lost admin token, a master key that is turned over, a session that is purged, old
// messages and records. Each on a whole unit, as an operator does it.
// Profile: rest. Whole units that start again and again; apps/supervisor tests the rotation of keys and tokens.
import assert from 'node:assert/strict'
import { copyFile, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { exits, stateFiles } from '@gatehouse/contracts'
import { ageMessages, ageRecords } from '../src/age-state.ts'
import { applyChange, settled } from '../src/changes.ts'
import { allMessages, replyTo, say } from '../src/chat.ts'
import { request } from '../src/http.ts'
import { removeState } from '../src/remove-state.ts'
import { runStopped } from '../src/stopped.ts'
import { runSvcctl, type Ran } from '../src/svcctl.ts'
import { freshDirectory, startUnit, type Unit, type UnitOptions } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const hour = 60 * 60_000
const places: string[] = []
const running: Unit[] = []

const place = async (): Promise<string> => {
  const directory = await freshDirectory()
  places.push(directory)
  return directory
}
const start = async (options: UnitOptions): Promise<Unit> => {
  const unit = await startUnit(options)
  running.push(unit)
  return unit
}
after(async () => {
  for (const unit of running) await unit.stop()
  for (const directory of places) await removeState(directory)
})

const statusFor = (unit: Unit, token: string) => request(`${unit.address}/v1/status`, { headers: { authorization: `Bearer ${token}` } })

test(
  'a lost admin token is minted anew on the stopped unit: the old one opens nothing, the new one all, and the journal says so',
  { timeout: 180_000 },
  async () => {
    const stateDir = await place()
    const flags = ['--sandbox', 'off']
    const first = await start({ stateDir, flags })
    const file = join(stateDir, stateFiles.adminToken)
    const old = (await readFile(file, 'utf8')).trim()
    assert.equal((await statusFor(first, old)).status, 200)

    const early = await runStopped(['token', 'reset-admin', '--state-dir', stateDir])
    assert.equal(early.code, exits.stateInUse, early.text)
    assert.match(early.text, /another|running|stop/)
    assert.equal((await readFile(file, 'utf8')).trim(), old, 'nothing was written')
    assert.equal((await statusFor(first, old)).status, 200)
    await first.stop()

    const reset = await runStopped(['token', 'reset-admin', '--state-dir', stateDir])
    assert.equal(reset.code, 0, reset.text)
    const fresh = (await readFile(file, 'utf8')).trim()
    assert.notEqual(fresh, old)
    assert.equal(reset.text, `admin token minted; it is shown this once: ${fresh}`)

    const second = await start({ stateDir, flags, token: fresh })
    assert.equal((await statusFor(second, old)).status, 401)
    assert.deepEqual((await second.client.status()).principal, { name: 'admin', role: 'admin' })
    await second.client.tokens.create({ name: 'made-by-the-new-one', role: 'auditor' })
    const { items } = await second.client.audit.list({ stage: 'token-create' })
    assert.deepEqual(
      items.map(({ by, principal }) => [by ?? principal, by === 'host']),
      [
        ['admin', false],
        ['host', true],
      ],
    )
    await second.stop()
    const verified = await runSvcctl(['audit', 'verify', '--state-dir', stateDir], { address: second.address, home: stateDir })
    assert.equal(verified.code, 0, verified.stderr)
    for (const token of [old, fresh]) {
      for (const line of second.lines) assert.ok(!line.includes(token), 'a token is in the log')
      assert.ok(!(await readFile(join(stateDir, 'audit.jsonl'), 'utf8')).includes(token), 'a token is in the journal')
    }
  },
)

test(
  'a purged session, old messages and old records are gone, what is younger stays, and a new master key opens all of it alone',
  { timeout: 180_000 },
  async () => {
    const stateDir = await place()
    const flags = ['--dev', '--sandbox', 'none']
    const unit = await start({ stateDir, flags: [...flags, '--chat-retention', '1h', '--calls-retention', '1h'] })
    const svcctl = (...args: string[]): Promise<Ran> => runSvcctl(args, { address: unit.address, home: stateDir })
    await say(unit, 'to be forgotten')
    const id = await applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] } })
    await settled(unit, id)
    await waitFor('a call to be answered', 60_000, async () => (await say(unit, 'tool:sample__echo {"text":"a call"}')) === 'a call')
    assert.equal((await unit.client.audit.calls({ op: 'call', status: 'ok' })).items.length, 1)

    const { messageId } = await unit.client.chat.send({ agentGroupID: 'dev-agent', conversationId: 'gone', text: 'to be purged' })
    await replyTo(unit, messageId)
    const session = (await unit.client.sessions.list()).items.find(({ conversationId }) => conversationId === 'gone')?.id ?? ''
    assert.equal((await svcctl('session', 'purge', session)).code, 5, 'one that is open is not purged')
    assert.equal((await svcctl('session', 'terminate', session)).code, 0)
    const purged = await svcctl('session', 'purge', session, '--json')
    assert.deepEqual([purged.code, purged.stdout.trim()], [0, JSON.stringify({ purged: session }, null, 2)], purged.stderr)
    assert.ok(!(await allMessages(unit)).some(({ text }) => text.includes('to be purged')))
    for (const folder of [stateFiles.keys, stateFiles.queues])
      assert.ok(!(await readdir(join(stateDir, folder))).some((name) => name.includes(session)), folder)
    const [line] = (await unit.client.audit.list({ stage: 'purge' })).items
    assert.deepEqual(line?.detail, { session })

    const locked = await runStopped(['keys', 'rotate', '--state-dir', stateDir])
    assert.equal(locked.code, exits.stateInUse, locked.text)
    await unit.stop()
    const keyring = join(stateDir, stateFiles.keyring)
    await copyFile(keyring, `${keyring}.old`)
    const rotated = await runStopped(['keys', 'rotate', '--state-dir', stateDir])
    assert.equal(rotated.code, 0, rotated.text)
    assert.match(rotated.text, /^the master key is of epoch 2 now; the database and 1 queues were sealed again$/)

    // Under the new key, so that opening them shows that they are.
    assert.ok((await ageMessages(stateDir, new Date(Date.now() - 2 * hour))) >= 4)
    await ageRecords(stateDir, new Date(Date.now() - 2 * hour))
    const again = await start({ stateDir, flags: [...flags, '--chat-retention', '1h', '--calls-retention', '1h'] })
    const left = await waitFor('the old messages to be forgotten', 60_000, async () => {
      const messages = await allMessages(again)
      return messages.length === 1 ? messages : undefined
    })
    assert.equal(left[0]?.text, 'a call', 'the newest of a conversation stays')
    assert.deepEqual((await again.client.audit.calls({ op: 'call' })).items, [])
    assert.equal((await again.client.audit.list({ stage: 'epoch' })).items[0]?.detail['epoch'], 2)
    assert.equal(await say(again, 'and on'), 'echo: and on')
    assert.equal((await allMessages(again)).length, 3)
    await again.stop()
    const verified = await runSvcctl(['audit', 'verify', '--state-dir', stateDir], { address: again.address, home: stateDir })
    assert.equal(verified.code, 0, verified.stderr)

    await copyFile(`${keyring}.old`, keyring)
    await rm(`${keyring}.old`)
    const before = await startUnit({ stateDir, flags, untilReady: false })
    assert.equal((await before.exited).code, exits.configuration, before.lines.join('\n'))
  },
)
