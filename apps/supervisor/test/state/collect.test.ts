// What a backup takes of the files of groups, and what it leaves where it is.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { incomingName, lostAndFound } from '@gatehouse/kernel'
import { newestOf, subkeysOf } from '../../src/keys/keyring.ts'
import { collect } from '../../src/state/backup/collect.ts'
import { smallState, type SmallState } from './state.ts'

type Notice = (path: string, why: string) => void

/** Names below the directory of groups that a backup holds. */
const takenOf = async ({ dir, epochs }: SmallState, notice: Notice): Promise<string[]> => {
  const newest = newestOf(epochs)
  const place = { stateDir: dir, copies: join(dir, '.backup-x'), mode: 'production', installation: 'a'.repeat(32) } as const
  const wanted = {
    ...place,
    keys: subkeysOf(newest),
    newest,
    queues: undefined,
    release: '0.0.0',
    masterKey: 'inside',
    catalog: null,
    notice,
  } as const
  const collected = await collect(wanted)
  try {
    const taken: string[] = []
    for await (const entry of collected.entries()) {
      assert.ok(!entry.path.includes(lostAndFound), 'what the file system put there is no state')
      if (entry.path.startsWith('state/groups/')) taken.push(entry.path.slice('state/groups/'.length))
      if (entry.type === 'file') for await (const _ of entry.body);
    }
    return taken.toSorted()
  } finally {
    await collected.close()
  }
}

const put = async ({ dir }: SmallState, paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    await mkdir(dirname(join(dir, 'groups', path)), { recursive: true })
    await writeFile(join(dir, 'groups', path), 'x')
  }
}

suite('what a backup holds', () => {
  test('are the files of groups, and none that people are still sending', async (t) => {
    const state = await smallState(t)
    const kept = [`dev-agent/workspace/${incomingName}/mine`, `dev-agent/workspace/notes`]
    await put(state, [`${incomingName}/half`, ...kept])
    await mkdir(join(state.dir, lostAndFound))
    const directories = ['dev-agent', 'dev-agent/workspace', `dev-agent/workspace/${incomingName}`]
    assert.deepEqual(await takenOf(state, (path, why) => assert.fail(`${path}: ${why}`)), [...directories, ...kept].toSorted())
  })

  test('are the files of a group and not which disk it has', async (t) => {
    const state = await smallState(t)
    await put(state, ['dev-agent/workspace/.disk', 'dev-agent/.disk', `dev-agent/${lostAndFound}/x`])
    await put(state, [
      '.disks/dev-agent.disk',
      '.disks/.dev-agent.disk.0a.tmp',
      '.disks/dev-agent.disk.aside-0/x',
      '.removed/old.1/old.disk',
    ])
    const taken = await takenOf(state, (path, why) => assert.fail(`${path}: ${why}`))
    const kept = ['.disks', '.removed', '.removed/old.1', 'dev-agent', 'dev-agent/workspace', 'dev-agent/workspace/.disk']
    assert.deepEqual(taken, kept)
  })
})
