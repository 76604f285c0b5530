// Killing anything at any moment is an ordinary event: the flow goes on, nothing is doubled, nothing is left behind.
import assert from 'node:assert/strict'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { replyTo, say } from '../src/chat.ts'
import { descendants } from '../src/descendants.ts'
import { post } from '../src/http.ts'
import { removeState } from '../src/remove-state.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const submit = async (unit: Unit, kind: string, after: object): Promise<string> => {
  const { json, text, status } = await post(`${unit.address}/v1/ui/config/change`, {
    kind,
    agentGroupID: 'dev-agent',
    requestedBy: 'cli:tester',
    after,
  })
  assert.equal(status, 202, text)
  return String(json?.['id'])
}

const approve = (unit: Unit, id: string): Promise<unknown> =>
  waitFor(`${id} to be applied`, 60_000, async () => {
    const { status, json } = await post(`${unit.address}/v1/changes/${id}/decision`, { outcome: 'approve', decidedBy: 'someone' })
    return status === 200 || json?.['code'] === 'change-already-decided' ? (await unit.client.changes.show(id)).state === 'applied' : false
  })

const killAndWait = async (unit: Unit, name: string): Promise<void> => {
  const pid = await unit.pidOf(name)
  process.kill(pid, 'SIGKILL')
  await waitFor(`${name} to be back`, 60_000, async () => {
    const { processes } = await unit.client.status()
    const found = processes.find((process) => process.name === name)
    return found?.state === 'ready' && found.pid !== pid
  })
}

for (const victim of ['gateway', 'broker', 'runner'] as const) {
  test(`the flow goes on and nothing is doubled when the ${victim} is killed at every step of it`, async (t) => {
    const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap'] })
    t.after(unit.dispose)
    const call = 'tool:sample__echo {"text":"hi"}'
    assert.equal(await say(unit, 'hello'), 'echo: hello')
    await killAndWait(unit, victim)
    assert.match(await say(unit, call), /^refused: /)
    // What an operator edits meanwhile keeps nobody from coming back.
    await chmod(join(unit.stateDir, 'mcp-catalog.json'), 0o644)
    await killAndWait(unit, victim)
    await chmod(join(unit.stateDir, 'mcp-catalog.json'), 0o600)
    const id = await submit(unit, 'mcp_access', { server: 'sample', tools: ['echo'] })
    await killAndWait(unit, victim)
    assert.deepEqual(
      (await unit.client.changes.pending()).items.map((change) => change.id),
      [id],
    )
    await approve(unit, id)
    await killAndWait(unit, victim)
    assert.equal(await say(unit, call), 'hi')

    const { messageId } = await unit.client.chat.send({ agentGroupID: 'dev-agent', text: 'in flight' })
    process.kill(await unit.pidOf(victim), 'SIGKILL')
    assert.equal(await replyTo(unit, messageId), 'echo: in flight')

    const { items } = await unit.client.audit.list({ limit: 200 })
    const stages = items.filter((entry) => entry.changeID === id).map(({ stage }) => stage)
    for (const stage of ['submit', 'approve', 'apply']) assert.equal(stages.filter((found) => found === stage).length, 1, stages.join(' '))
    const { messages } = await unit.client.chat.messages('dev-agent')
    const answered = messages.flatMap((message) => (message.from === 'agent' ? [message.inReplyTo] : []))
    assert.equal(new Set(answered).size, answered.length)
  })
}

test('after SIGKILL of the supervisor nothing is left, and a held change can still be decided after a new start', async (t) => {
  const stateDir = await freshDirectory()
  t.after(() => removeState(stateDir))
  const unit = await startUnit({ stateDir, flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(unit.dispose)
  assert.equal(await say(unit, 'hello'), 'echo: hello')
  const id = await submit(unit, 'persona', { instructions: 'Be brief.' })
  const family = await descendants(unit.pid)
  assert.ok(family.length >= 6, `${family.length} processes`)
  await unit.kill()
  await waitFor('every process of the unit to be gone', 60_000, () => !family.some(alive))

  const next = await startUnit({ stateDir, flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(next.dispose)
  assert.deepEqual(
    (await next.client.changes.pending()).items.map((change) => change.id),
    [id],
  )
  await approve(next, id)
  assert.equal(await say(next, 'again'), 'echo: again')
})

test('a stop leaves no process and no socket', async (t) => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap'] })
  t.after(unit.dispose)
  assert.equal(await say(unit, 'hello'), 'echo: hello')
  const family = await descendants(unit.pid)
  const { code } = await unit.stop()
  assert.equal(code, 0)
  await waitFor('every process of the unit to be gone', 60_000, () => !family.some(alive))
  assert.ok(!(await readdir(unit.stateDir)).some((name) => name.endsWith('.sock')))
})
