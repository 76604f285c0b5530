// A production unit that is not root: setup has given it a user namespace and disks, and no wall lacks for that.
// Profile: rest. Repeats a production unit in another configuration.
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { runSetup } from '../../../apps/supervisor/src/setup/run.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 'u'.repeat(64)
const uid = 65_532
const skip = process.getuid?.() === 0 ? false : 'needs root: setup maps ids and mounts disks'

const makeReady = async () => {
  const folder = await freshDirectory()
  const at = (name: string): string => join(folder, name)
  await chmod(folder, 0o755)
  for (const name of ['etc', 'run']) await mkdir(at(name))
  await chown(at('run'), uid, uid)
  const env = { SERVICE_USER_NAMESPACE: at('namespace/user'), SERVICE_STATE_DIR: at('state') }
  const said: string[] = []
  const wanted = ['--owner', `${uid}`, '--user-namespace', '--disks', '2x1024', '--disks-dir', at('disks')]
  const exit = await runSetup(wanted, { env, write: (text) => void said.push(text), site: { etc: at('etc'), run: at('run') } })
  assert.equal(exit, 0, said.join(''))
  const remove = async (): Promise<void> => {
    for (const mounted of [env.SERVICE_USER_NAMESPACE, at('disks/1024-01'), at('disks/1024-02'), at('disks/16-trial')])
      await execa('umount', ['--lazy', mounted])
    await rm(folder, { recursive: true, force: true })
  }
  return { at, remove, env: { ...env, SERVICE_GROUP_DISKS: at('disks'), RUNTIME_DIRECTORY: at('run'), SERVICE_API_TOKEN: token } }
}

const answers = async ({ client }: Unit, text: string): Promise<void> => {
  await client.chat.send({ agentGroupID: 'clerk', text })
  await waitFor(`an answer to ${text}`, 90_000, async () => {
    const { messages } = await client.chat.messages('clerk')
    return messages.some((message) => message.from === 'agent' && message.text === `echo: ${text}`)
  })
}

test('a unit without root has every wall, a disk for its group, and both again after it was killed', { skip }, async (t) => {
  const ready = await makeReady()
  t.after(ready.remove)
  const start = () => startUnit({ flags: ['--allow-old-engine'], env: ready.env, stateDir: ready.at('state'), uid, token })
  let unit = await start()
  t.after(() => unit.dispose())
  const create = { kind: 'agent_create', agentGroupID: 'clerk', after: { id: 'clerk', name: 'Clerk', agent: 'mock' } }
  const { id } = await unit.client.changes.submit(create)
  assert.equal((await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
  const { sandbox, processes } = await waitFor('a proof', 90_000, async () => {
    const status = await unit.client.status()
    return status.sandbox.seal === 'held' || status.sandbox.seal === 'lacking' ? status : undefined
  })
  assert.deepEqual([sandbox.status, sandbox.missing, sandbox.seal], ['ok', [], 'held'], JSON.stringify(sandbox))
  for (const pid of [unit.pid, ...processes.map((process) => process.pid ?? 0)])
    assert.match(await readFile(`/proc/${pid}/status`, 'utf8'), new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'))
  await answers(unit, 'hello')
  const { uid: owner } = await stat(ready.at('disks/1024-01/workspace'))
  assert.ok(owner > 700_000, `its files are of ${owner}`)

  await unit.kill()
  unit = await start()
  await answers(unit, 'again')
  assert.equal((await stat(ready.at('disks/1024-01/workspace'))).uid, owner)
})
