// Backups where a disk is full: that of the archive, and that of the unit. What fails leaves nothing, says what to do, and
// the unit goes on.
import assert from 'node:assert/strict'
import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { demoToken } from '@gatehouse/contracts'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { type Ran, runSvcctl } from '../src/svcctl.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

if (noSmallDisk !== false && process.env['CI'] === 'true') throw new Error(noSmallDisk)

const group = 'mock-agent'

const backupTo = (unit: Unit, home: string, file: string): Promise<Ran> =>
  runSvcctl(['backup', '--passphrase-file', join(home, 'passphrase'), '--out', file], { address: unit.address, token: demoToken, home })

/** Changes are made, and neither the log nor the status has a word of a fault. */
const assertUndisturbed = async (unit: Unit, instructions: string): Promise<void> => {
  const { id } = await unit.client.changes.submit({ kind: 'persona', agentGroupID: group, after: { instructions } })
  assert.equal((await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
  const { processes } = await unit.client.status()
  for (const { name, state, restarts } of processes) assert.deepEqual([name, state, restarts], [name, 'ready', 0])
  const faults = unit.lines.filter((line) => /\berror\b/.test(line))
  assert.deepEqual(faults, [])
}

/** A unit hears a little later that nobody reads on. */
const untilNothingIsLeft = ({ stateDir }: Unit): Promise<boolean> =>
  waitFor('the copies of a backup to be gone', 30_000, async () => !(await readdir(stateDir)).some((name) => name.startsWith('.backup-')))

/** Takes the room of a disk but for so many bytes. */
const fill = async (disk: string, left: number): Promise<() => Promise<void>> => {
  const { bavail, bsize } = await statfs(disk)
  const path = join(disk, 'filler')
  await writeFile(path, Buffer.alloc(bavail * bsize - left))
  return () => rm(path)
}

suite('a backup where a disk is full', { skip: noSmallDisk }, () => {
  let home: string
  before(async () => {
    home = await freshDirectory()
    await mkdir(join(home, 'out'))
    await writeFile(join(home, 'passphrase'), 'a passphrase of the test 0123456789\n', { mode: 0o600 })
  })
  after(() => rm(home, { recursive: true, force: true }))

  test('keeps no part of an archive, says what to do, and leaves the unit as it was', async () => {
    await onSmallDisk('64m', async (disk) => {
      const unit = await startUnit({ flags: ['--demo', '--sandbox', 'off'], token: demoToken, stateDir: join(disk, 'state') })
      try {
        await onSmallDisk('64k', async (small) => {
          const ran = await backupTo(unit, home, join(small, 'unit.age'))
          assert.equal(ran.code, 9, ran.stderr)
          assert.match(ran.stderr, /^Error: the disk of .*unit\.age is full; nothing was kept, and the unit goes on\nTry: .*--out/)
          assert.deepEqual(await readdir(small), [])
        })
        await untilNothingIsLeft(unit)
        await assertUndisturbed(unit, 'after the disk of the archive was full')

        // Less than the unit keeps for itself.
        const empty = await fill(disk, 7 * 1024 * 1024)
        const refused = await backupTo(unit, home, join(home, 'out/unit.age'))
        assert.equal(refused.code, 9, refused.stderr)
        assert.match(
          refused.stderr,
          /^Error: the copies of the databases need \d+ bytes .*\n(.*\n)*Try: make room on the disk of the state/,
        )
        assert.deepEqual(await readdir(join(home, 'out')), [])
        await untilNothingIsLeft(unit)
        await assertUndisturbed(unit, 'after the disk of the unit was full')

        await empty()
        const whole = await backupTo(unit, home, join(home, 'out/unit.age'))
        assert.equal(whole.code, 0, whole.stderr)
        // Each stands there before its first byte leaves: what was asked for, not what arrived.
        assert.equal((await unit.client.audit.list({ stage: 'backup' })).items.length, 3)
      } finally {
        await unit.stop()
      }
    })
  })
})
