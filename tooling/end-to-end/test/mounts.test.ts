// A mount of the host in a whole unit: approved, read, and gone from an agent that is busy; its message is not lost.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { allowTool, applyChange, scriptOf, settled } from '../src/changes.ts'
import { replyTo, say } from '../src/chat.ts'
import { startUnit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

/** Processes that see a directory of the host mounted from there. */
const whoSee = async (source: string): Promise<string[]> => {
  const seen: string[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
    if (text.includes(`${source} /mnt/data `)) seen.push(pid)
  }
  return seen
}

// The time that the unit has is waited for in full, so this is no test for every day.
if (process.env['GATEHOUSE_PROFILE'] === 'full')
  test(
    'a mount that is taken away is gone from a busy agent in time, and its turn is answered without it',
    { timeout: 240_000 },
    async (t) => {
      const allowed = await mkdtemp('/var/tmp/gatehouse-mounts-')
      t.after(() => rm(allowed, { recursive: true, force: true }))
      await chmod(allowed, 0o755)
      await writeFile(join(allowed, 'file'), 'of the host')
      const unit = await startUnit({
        flags: ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off'],
        env: { SERVICE_MOUNT_ALLOW: allowed },
      })
      t.after(unit.dispose)
      await say(unit, 'hello')
      await allowTool(unit, 'run_script')
      const mount = { source: allowed, target: '/mnt/data', mode: 'ro' } as const
      await settled(unit, await applyChange(unit, { kind: 'mounts', after: { mounts: [mount] } }))
      const read = `console.log((await import('node:fs')).existsSync('/mnt/data/file'))`
      assert.deepEqual(JSON.parse(await say(unit, scriptOf(read))), { stdout: 'true\n', stderr: '', exitCode: 0 })
      assert.notDeepEqual(await whoSee(allowed), [])

      // It looks once, then is busy for as long as it may; a second sandbox that works at it finds no mount and is done.
      const busy = `const { existsSync } = await import('node:fs'); while (existsSync('/mnt/data/file'));`
      const { messageId } = await unit.client.chat.send({ agentGroupID: 'dev-agent', text: scriptOf(busy, { timeoutMs: 60_000 }) })
      await waitFor('the agent to be busy', 30_000, async () =>
        (await unit.client.sessions.list()).items.some(({ waiting }) => waiting > 0),
      )
      const since = performance.now()
      await applyChange(unit, { kind: 'mounts', after: { mounts: [] } })
      await waitFor('nobody to see it', limits.narrowingTime + 60_000, async () => (await whoSee(allowed)).length === 0)
      t.diagnostic(`gone after ${((performance.now() - since) / 1_000).toFixed(1)} s of ${limits.narrowingTime / 1_000}`)
      assert.ok((await replyTo(unit, messageId)).length > 0)
      assert.deepEqual(JSON.parse(await say(unit, scriptOf(read))), { stdout: 'false\n', stderr: '', exitCode: 0 })
    },
  )
