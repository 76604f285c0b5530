// A unit in two halves, each under a uid of its own: the whole mission over the border between them, and each killed and started again by itself.
// Profile: rest. Repeats the mission with the unit in two halves.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { controlUid, type Half, prepareSplit, type Split } from '../src/split.ts'
import { release } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 's'.repeat(64)
const skip = process.getuid?.() === 0 ? false : 'needs root: for two uids, and for the host ids of groups'
const patience = 90_000

suite('a split unit', { skip }, () => {
  let split: Split
  let control: Half
  let runner: Half

  const settledRunner = () =>
    waitFor('the runner to answer', patience, async () => {
      const { sandbox } = await split.client.status()
      return sandbox.status === 'ok'
    })
  const apply = async (kind: string, after: object): Promise<string> => {
    const { id } = await split.client.changes.submit({ kind, agentGroupID: 'clerk', after })
    assert.equal((await split.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
    return id
  }
  const say = async (text: string): Promise<string> => {
    const { messageId } = await waitFor('the message to be taken', patience, () => split.client.chat.send({ agentGroupID: 'clerk', text }))
    return waitFor(`a reply to ${text}`, patience, async () => {
      const { messages } = await split.client.chat.messages('clerk')
      return messages.find(({ inReplyTo }) => inReplyTo === messageId)?.text
    })
  }
  const callsTool = (word: string) =>
    waitFor('the tool to answer', patience, async () => (await say(`tool:sample__echo {"text":"${word}"}`)) === word)

  before(async () => {
    split = await prepareSplit(token, ['--sandbox', 'bubblewrap', '--mcp-isolation', 'none'])
    control = await split.startControl({ env: { SERVICE_MCP_CATALOG: split.at('control/mcp-catalog.json') } })
    runner = await split.startRunner()
  })
  after(async () => {
    await Promise.all([control?.stop(), runner?.stop()])
    await split?.remove()
  })

  test('does the whole mission: a change, a chat, a tool', async () => {
    await apply('agent_create', { id: 'clerk', name: 'Clerk', agent: 'mock' })
    await settledRunner()
    assert.equal(await say('hello'), 'echo: hello')
    await split.client.servers.put('sample', { transport: 'stdio', command: process.execPath, args: [join(release, 'mcp-sample.mjs')] })
    const granted = await apply('mcp_access', { server: 'sample', tools: ['echo'] })
    await callsTool('first')
    await waitFor('the sandbox to have its tool', patience, async () => {
      const { conditions } = await split.client.changes.show(granted)
      return conditions.every(({ status }) => status === 'ready')
    })
    assert.match(await say('tool:sample__add {"a":1,"b":2}'), /not-granted|not granted/)
  })

  test('no process of the half with the keys is root, and the other half has neither the keys nor the token', async () => {
    const { processes } = await split.client.status()
    for (const { name, pid } of processes) {
      if (pid === undefined) continue
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      assert.match(status, new RegExp(`^Uid:(\\s${controlUid}){4}$`, 'm'), name)
    }
    assert.deepEqual(
      processes.map(({ name, state }) => `${name} ${state}`).toSorted((one, other) => one.localeCompare(other)),
      ['broker ready', 'control-plane ready', 'gateway ready', 'runner ready'],
    )
    const given = await readFile(split.at('credentials/gatehouse-runner'), 'utf8')
    const keyring = await readFile(split.at('control/keyring.json'), 'utf8')
    for (const secret of [/[0-9a-f]{64}/.exec(keyring)?.[0] ?? 'none', token]) assert.ok(!given.includes(secret))
    assert.deepEqual(Object.keys((JSON.parse(given) as { edges: object }).edges).toSorted(), [
      'gateway.runner',
      'runner.backup',
      'runner.broker',
      'runner.channels',
      'runner.control-plane',
      'runner.supervisor',
    ])
  })

  test('the half with the keys is killed and started again: the same sandbox reaches its tool', async () => {
    const before = (await split.client.sessions.list()).items
    await control.kill()
    control = await split.startControl({ env: { SERVICE_MCP_CATALOG: split.at('control/mcp-catalog.json') } })
    await settledRunner()
    await callsTool('second')
    const after = (await split.client.sessions.list()).items
    assert.deepEqual(
      after.map(({ id, launches }) => [id, launches]),
      before.map(({ id, launches }) => [id, launches]),
    )
  })

  test('the half with the runner is killed: the other goes on, and says so; started again it finishes what waited', async () => {
    await runner.kill()
    await waitFor('the runner to be missed', patience, async () => {
      const { processes } = await split.client.status()
      return processes.some(({ name, state }) => name === 'runner' && state === 'down')
    })
    await apply('persona', { instructions: 'Be brief.' })
    await assert.rejects(split.client.chat.send({ agentGroupID: 'clerk', text: 'anybody?' }))
    runner = await split.startRunner()
    await settledRunner()
    assert.equal(await say('again'), 'echo: again')
    await callsTool('third')
  })

  test('a backup of one half is refused, with what to do instead', async () => {
    await assert.rejects(
      split.client.backup({ passphrase: 'a-long-passphrase' }),
      (error) => isServiceError(error) && error.code === 'conflict' && (error.hint ?? '').includes('split-host'),
    )
  })

  test('a runner of another group, without root, or of another installation does not start, and says why', async () => {
    await runner.stop()
    const ends = async (half: Half, code: number, reason: RegExp): Promise<void> => {
      assert.equal(await half.exited, code)
      assert.match(half.lines.join('\n'), reason)
    }
    await ends(await split.startRunner({ gid: 1 }), 78, /expected the group 65532/)
    await writeFile(split.at('runner/state.json'), JSON.stringify({ schema: 1, installation: '0'.repeat(32), mode: 'production' }))
    await ends(await split.startRunner(), 78, /expected the state of installation/)
  })
})
