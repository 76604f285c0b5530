// What a backup takes of the files of groups, and what it leaves where it is.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { incomingName, lostAndFound } from '@gatehouse/kernel'
import { newestOf, subkeysOf } from '../../src/keys/keyring.ts'
import { collect } from '../../src/state/backup/collect.ts'
import { smallState } from './state.ts'

suite('what a backup holds', () => {
  test('are the files of groups, and none that people are still sending', async (t) => {
    const { dir, epochs } = await smallState(t)
    const kept = [`dev-agent/workspace/${incomingName}/mine`, `dev-agent/workspace/notes`]
    for (const path of [`${incomingName}/half`, ...kept]) {
      await mkdir(dirname(join(dir, 'groups', path)), { recursive: true })
      await writeFile(join(dir, 'groups', path), 'x')
    }
    await mkdir(join(dir, lostAndFound))
    const newest = newestOf(epochs)
    const collected = await collect({
      stateDir: dir,
      keys: subkeysOf(newest),
      newest,
      queues: undefined,
      copies: join(dir, '.backup-x'),
      mode: 'production',
      installation: 'a'.repeat(32),
      release: '0.0.0',
      masterKey: 'inside',
      catalog: null,
      notice: (path, why) => assert.fail(`${path}: ${why}`),
    })
    try {
      const taken: string[] = []
      for await (const entry of collected.entries()) {
        assert.ok(!entry.path.includes(lostAndFound), 'what the file system put there is no state')
        if (entry.path.startsWith('state/groups/')) taken.push(entry.path.slice('state/groups/'.length))
        if (entry.type === 'file') for await (const _ of entry.body);
      }
      const directories = ['dev-agent', 'dev-agent/workspace', `dev-agent/workspace/${incomingName}`]
      assert.deepEqual(taken.toSorted(), [...directories, ...kept].toSorted())
    } finally {
      await collected.close()
    }
  })
})
