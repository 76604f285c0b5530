// Setting up disks for groups: made once, mounted after each boot, and gone again where no group left anything on them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { createMaker } from '@gatehouse/engine/premade'
import { readMountsBelow } from '@gatehouse/kernel'
import { groupDisks } from '../../src/setup-steps/group-disks.ts'
import { parseSetup } from '../../src/setup/arguments.ts'
import { runSetup } from '../../src/setup/run.ts'

const maker = await createMaker()
const lacking = 'refused' in maker ? maker.refused : process.geteuid?.() === 0 ? '' : 'needs root: for loop devices'
if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)

const unmountAll = async (directory: string): Promise<void> => {
  for (const point of (await readMountsBelow(directory)).toReversed()) execFileSync('umount', [point])
}

/** Another file of that name: the kernel may still have the one that was mounted in a loop device. */
const breakImage = async (directory: string, name: string): Promise<void> => {
  await rm(join(directory, `${name}.img`))
  await writeFile(join(directory, `${name}.img`), '')
}

const open = async (t: TestContext) => {
  const home = await mkdtemp(join(tmpdir(), 'gh-setup-disks-'))
  t.after(async () => {
    await unmountAll(home)
    await rm(home, { recursive: true })
  })
  const disksDir = join(home, 'disks')
  const run = async (...argv: string[]) => {
    const said: string[] = []
    const options = { env: {}, write: (text: string) => void said.push(text), site: { run: join(home, 'run') }, steps: [groupDisks] }
    const exit = await runSetup(['--owner', '65532:65532', '--disks-dir', disksDir, ...argv], options)
    return { exit, said: said.join('') }
  }
  return { home, disksDir, run }
}

describe('disks that are set up for groups', { skip: lacking === '' ? false : lacking, timeout: 120_000 }, () => {
  it('are made once, mounted again after a boot with what is on them, and more when more are asked for', async (t) => {
    const { disksDir, run } = await open(t)
    assert.match((await run('--disks', '2x16', '--dry-run')).said, /group-disks +lacking .*disks is not there/)
    const { exit, said } = await run('--disks', '2x16')
    assert.equal(exit, exits.stopped)
    assert.match(said, /after:\n +group-disks +ready +3 of 3 mounted in /)
    const names = ['16-01', '16-01.img', '16-02', '16-02.img', '16-trial', '16-trial.img']
    assert.deepEqual((await readdir(disksDir)).toSorted(), names)
    assert.equal((await stat(disksDir)).mode & 0o777, 0o711)
    const [disk, image] = [await stat(join(disksDir, '16-01')), await stat(join(disksDir, '16-01.img'))]
    assert.deepEqual([disk.uid, disk.gid, disk.mode & 0o777], [65_532, 65_532, 0o700])
    assert.deepEqual([image.uid, image.mode & 0o777], [0, 0o600])
    const line = (await readFile('/proc/self/mounts', 'utf8')).split('\n').find((each) => each.includes(`${disksDir}/16-01 `))
    for (const flag of ['ext4', 'nosuid', 'nodev', 'noexec', 'noatime', 'discard', 'errors=remount-ro'])
      assert.ok(line?.includes(flag), line)
    await writeFile(join(disksDir, '16-01/kept'), 'kept')
    // As after a boot, and after a death in the middle of it.
    await unmountAll(disksDir)
    await writeFile(join(disksDir, '40-01.img.making'), 'half an image')
    assert.match((await run('--disks', '1x40', '--dry-run')).said, /lacking +0 of 4 mounted/)
    assert.match((await run('--disks', '1x40')).said, /ready +4 of 4 mounted/)
    assert.equal(await readFile(join(disksDir, '16-01/kept'), 'utf8'), 'kept')
    assert.deepEqual((await readdir(disksDir)).toSorted(), [...names, '40-01', '40-01.img'])
    assert.match((await run('--disks', '1x16')).said, /before:\n +group-disks +ready +4 of 4/)
    assert.equal((await readMountsBelow(disksDir)).length, 4)
    // One that is broken is named, and the others are there.
    await unmountAll(disksDir)
    await breakImage(disksDir, '16-01')
    const broken = await run('--disks', '1x16')
    assert.equal(broken.exit, exits.configuration)
    assert.match(broken.said, /after:\n +group-disks +lacking +3 of 4 mounted in .*; 16-01: .*mount failed: .*\n/)
    assert.equal((await readMountsBelow(disksDir)).length, 3)
    // Another owner has them with what the unit itself wrote.
    await writeFile(join(disksDir, '16-02/.disk'), 'x')
    assert.match((await run('--disks', '1x16', '--owner', '65533')).said, /16-01: /)
    const given = [await stat(join(disksDir, '16-02')), await stat(join(disksDir, '16-02/.disk'))]
    assert.deepEqual([given[0]?.uid, given[1]?.uid], [65_533, 65_533])
  })

  it('go with what made them where they are empty, and stay in words where a group left something', async (t) => {
    const { home, disksDir, run } = await open(t)
    await run('--disks', '2x16')
    await writeFile(join(disksDir, '16-02/kept'), 'kept')
    await writeFile(join(disksDir, '16-trial/left'), 'of a trial')
    // One that nobody can look into stays too, and the others go.
    execFileSync('umount', [join(disksDir, '16-01')])
    await breakImage(disksDir, '16-01')
    const { said } = await run('--remove', '--owner', '65533')
    assert.match(said, /disks stays: 16-01 \(.*mount failed: .*\), 16-02 \(files of a group are on it\)\n/)
    assert.deepEqual((await readdir(disksDir)).toSorted(), ['16-01.img', '16-02.img'])
    assert.deepEqual(await readMountsBelow(disksDir), [])
    await rm(join(disksDir, '16-01.img'))
    // Whose it was it still is.
    execFileSync('mount', ['-o', 'loop', join(disksDir, '16-02.img'), home])
    assert.equal((await stat(home)).uid, 65_532)
    execFileSync('umount', [home])
    await run('--disks', '2x16')
    assert.equal(await readFile(join(disksDir, '16-02/kept'), 'utf8'), 'kept')
    await rm(join(disksDir, '16-02/kept'))
    assert.equal((await run('--remove')).exit, exits.stopped)
    await assert.rejects(stat(disksDir), { code: 'ENOENT' })
    assert.equal((await run('--remove')).exit, exits.stopped)
  })
})

describe('the disks that are asked for', () => {
  it('are counts of sizes that a group may have', () => {
    assert.deepEqual(parseSetup(['--disks', '12x1024,4x256'], {}).disks, [
      { count: 12, MiB: 1024 },
      { count: 4, MiB: 256 },
    ])
    assert.deepEqual(parseSetup([], {}).disks, [])
    for (const text of ['', '16', '0x16', '1x15', '1x16777217', '257x16', '200x16,57x32', '1x16,1x16', '1x16,', '-1x16', '1x1.5'])
      assert.throws(() => parseSetup([`--disks=${text}`], {}), { exit: exits.configuration }, text)
  })
})
