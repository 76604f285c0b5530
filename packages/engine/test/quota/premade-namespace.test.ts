// Disks that root made beforehand, given to groups by a unit that is root in a user namespace of its own alone.
import assert from 'node:assert/strict'
import { chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { lacking, makeDisks } from '../fixtures/premade.ts'
import { outside, pinNamespace } from '../fixtures/user-namespace.ts'

if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)

describe('a unit in a user namespace of its own', { skip: lacking === '' ? false : lacking, timeout: 120_000 }, () => {
  it('gives its groups disks that end, keeps what they hold, and moves them, without root', async (t) => {
    const made = await makeDisks(['16-trial', '16-01', '40-01'], outside)
    t.after(made.remove)
    await chown(made.groups, outside.uid, outside.gid)
    // As e2fsck rescues it.
    await writeFile(join(made.disks, '40-01/lost+found/#12'), 'of another group')
    const namespace = await pinNamespace(join(made.home, 'pin'))
    const program = join(import.meta.dirname, '../fixtures/in-namespace.ts')
    const said = JSON.parse(await namespace.run([process.execPath, '--import', 'tsx', program, made.groups, made.disks]))
    assert.deepEqual(said, {
      full: 'ENOSPC',
      second:
        'Error: all 1 disks of 16 MiB for groups are in use: gatehouse setup --disks 2x16 creates one more: docs/how-to/bare-host.md (Disks of groups)',
      postponed: null,
      third: {},
      closed: true,
      uid: 700_001,
      kept: ['before', 'own'],
      own: [0, 4],
    })
    // Seen from the host.
    assert.equal(await readFile(join(made.disks, '40-01/workspace/own'), 'utf8'), 'own')
    assert.equal((await stat(join(made.disks, '40-01/workspace/own'))).uid, 700_001)
    assert.equal((await stat(join(made.disks, '40-01'))).uid, outside.uid)
    assert.deepEqual(await readdir(join(made.disks, '40-01/lost+found')), [])
  })
})
