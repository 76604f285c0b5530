// The run directory of a start that follows a kill: mounts that sandboxes left there are unmounted, and what they show is never removed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { exits } from '@gatehouse/contracts'

const run = promisify(execFile)
const fixture = join(import.meta.dirname, '../fixtures/leaves-a-mount.ts')
const apart = ['--mount', '--propagation', 'private']
const lacking = await run('unshare', [...apart, 'true']).then(
  () => false as const,
  () => 'needs root and unshare, install with apt-get install util-linux, and run as root',
)
if (lacking !== false && process.env['CI'] === 'true') throw new Error(lacking)

test(
  'a mount that an earlier start left is unmounted before its directory is removed, or the start says how to',
  { skip: lacking, timeout: 120_000 },
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-run-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const source = join(directory, 'of the host')
    const { stdout } = await run('unshare', [...apart, process.execPath, fixture, source])
    const [locked, opened] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { opened: { exit: number; hint: string } })
    const point = '/run/gatehouse/abcdefgh/engine/mounts/a b/0'
    assert.partialDeepStrictEqual(locked, { opened: { exit: exits.noPermission }, left: [point], leftover: true, kept: ['kept'] })
    assert.equal(locked?.opened.hint, `umount --lazy '${point}'`)
    assert.deepEqual(opened, { opened: '/run/gatehouse/abcdefgh', left: [], leftover: false, kept: ['kept'] })
    assert.deepEqual(await readdir(source), ['kept'])
  },
)
