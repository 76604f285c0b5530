// The disk of a group: its limits are enforced, it follows a changed limit, and a crash at any point loses nothing.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { readMountsBelow } from '@gatehouse/kernel'
import { detectDisks, tryTwice } from '../../src/detect-disks.ts'
import { type Disk, isMounted, readSize, sizeOf } from '../../src/disks/disk.ts'
import { closeDisk, closeDisks, openDisk, shareDirectory } from '../../src/disks/open.ts'
import type { DiskPrograms } from '../../src/disks/programs.ts'
import { until } from '../fixtures/processes.ts'

const MiB = 1024 * 1024
const quiet = { quiet: true }
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const home = await mkdtemp(join(tmpdir(), 'gh-disks-'))
const found = await detectDisks(join(home, 'trial'))
const refused =
  'refused' in found ? `needs root, loop devices and mkfs.ext4, install with apt-get install e2fsprogs (${found.refused})` : ''
if (refused !== '' && process.env['CI'] === 'true') throw new Error(refused)

/** Files behind loop devices that lie in a directory. */
const loopsIn = async (directory: string): Promise<string[]> => {
  const devices = (await readdir('/sys/block')).filter((name) => name.startsWith('loop'))
  const files = await Promise.all(devices.map((name) => readFile(`/sys/block/${name}/loop/backing_file`, 'utf8').catch(() => '')))
  return files.map((file) => file.trim()).filter((file) => file.startsWith(`${directory}/`))
}

/** A namespace that somebody else on this machine made meanwhile has a copy of each mount, and keeps the device as long as it lasts. */
const isHeldElsewhere = async (directory: string): Promise<boolean> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const tables = await Promise.all(ids.map((id) => readFile(`/proc/${id}/mountinfo`, 'utf8').catch(() => '')))
  return tables.some((table) => table.includes(`${directory}/`))
}

/** Fills files of a mebibyte, then empty ones; returns how many of each there was room for. */
const fillUp = async (directory: string): Promise<{ MiBs: number; files: number }> => {
  const count = async (content: Buffer): Promise<number> => {
    for (let made = 0; ; made += 1) {
      try {
        await writeFile(join(directory, `fill-${content.length}-${made}`), content)
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
        return made
      }
    }
  }
  return { MiBs: await count(Buffer.alloc(MiB, 1)), files: await count(Buffer.alloc(0)) }
}

describe('the disk of a group', { skip: refused === '' ? false : refused, timeout: 300_000 }, () => {
  if ('refused' in found) return
  const { programs } = found
  after(async () => {
    await closeDisks(programs, home)
    await rm(home, { recursive: true })
  })

  const place = async (t: TestContext, size = 16): Promise<Disk & { directory: string }> => {
    const directory = await mkdtemp(join(home, 'd-'))
    t.after(() => closeDisks(programs, directory))
    return { directory, image: join(directory, '.disks/g.img'), point: join(directory, 'g'), MiB: size }
  }
  const gone = async (directory: string): Promise<void> => {
    assert.ok((await closeDisks(programs, directory)) >= 0)
    assert.deepEqual(await readMountsBelow(directory), [])
    await until(async () => (await loopsIn(directory)).length === 0 || (await isHeldElsewhere(directory)), 'no loop device', 30_000)
  }

  it('enforces its limits of bytes and files without affecting another group', async (t) => {
    const [disk, other] = [await place(t), await place(t)]
    for (const each of [disk, other]) await openDisk(programs, each, quiet)
    await writeFile(join(other.point, 'kept'), 'x')
    const { MiBs, files } = await fillUp(disk.point)
    assert.ok(MiBs >= 15 && MiBs <= 17, `${MiBs} MiB`)
    assert.ok(files > 1000 && files <= 1600, `${files} files`)
    await writeFile(join(other.point, 'more'), Buffer.alloc(MiB))
    assert.equal(await readFile(join(other.point, 'kept'), 'utf8'), 'x')
    const { blocks } = await stat(other.image)
    assert.ok(blocks * 512 < 8 * MiB, 'what nobody uses takes no room of the host')
  })

  it('is refused for a program that always fails, but not for one that was killed once during the trial', async (t) => {
    const { directory } = await place(t)
    const failing = (times: number): DiskPrograms => ({
      ...programs,
      async format(...args) {
        times -= 1
        if (times >= 0) throw new Error('killed')
        await programs.format(...args)
      },
    })
    assert.ok('programs' in (await tryTwice(failing(1), join(directory, '.trial'))))
    const always = await tryTwice(failing(Infinity), join(directory, '.trial'))
    assert.ok('refused' in always && always.again !== undefined)
    assert.equal(always.refused, 'cannot create a trial disk: killed')
    await gone(directory)
  })

  it('is mounted without programs, devices and rights of others, for its owner alone', async (t) => {
    const disk = await place(t)
    await openDisk(programs, disk, quiet)
    const line = (await readFile('/proc/self/mounts', 'utf8')).split('\n').find((each) => each.includes(disk.point))
    for (const flag of ['nosuid', 'nodev', 'noexec']) assert.ok(line?.includes(flag), line)
    assert.equal((await stat(disk.point)).mode & 0o777, 0o700)
  })

  it('receives the existing files of the group, of any type, and is found again', async (t) => {
    const disk = await place(t)
    await mkdir(join(disk.point, 'workspace/deep'), { recursive: true, mode: 0o700 })
    await writeFile(join(disk.point, 'workspace/deep/file'), 'from before', { mode: 0o640 })
    execFileSync('chown', ['-R', '700001:700001', join(disk.point, 'workspace')])
    execFileSync('ln', ['-s', '/etc/passwd', join(disk.point, 'workspace/link')])
    execFileSync('mkfifo', [join(disk.point, 'workspace/pipe')])
    assert.deepEqual(await openDisk(programs, disk, quiet), {})
    assert.ok(await isMounted(disk.point))
    for (const again of [false, true]) {
      if (again) await gone(disk.directory)
      assert.deepEqual(await openDisk(programs, disk, quiet), {})
      assert.equal(await readFile(join(disk.point, 'workspace/deep/file'), 'utf8'), 'from before')
      const { uid, mode } = await stat(join(disk.point, 'workspace/deep/file'))
      assert.deepEqual([uid, mode & 0o777], [700_001, 0o640])
      assert.deepEqual((await readdir(join(disk.point, 'workspace'))).toSorted(), ['deep', 'link', 'pipe'])
    }
    await gone(disk.directory)
    assert.deepEqual(await readdir(disk.point), [])
  })

  it('that is too small for the files of the group is not created, and nothing is lost', async (t) => {
    const disk = await place(t)
    await mkdir(disk.point)
    await writeFile(join(disk.point, 'large'), Buffer.alloc(32 * MiB, 1))
    await assert.rejects(openDisk(programs, disk, quiet), /No space left/)
    assert.equal((await stat(join(disk.point, 'large'))).size, 32 * MiB)
    await openDisk(programs, { ...disk, MiB: 48 }, quiet)
    assert.equal((await stat(join(disk.point, 'large'))).size, 32 * MiB)
  })

  it('moves files aside that were written below its mount point', async (t) => {
    const disk = await place(t)
    await openDisk(programs, disk, quiet)
    await writeFile(join(disk.point, 'own'), 'on the disk')
    await closeDisk(programs, disk.point)
    await writeFile(join(disk.point, 'own'), 'below')
    const { setAside } = await openDisk(programs, disk, quiet)
    assert.equal(await readFile(join(disk.point, 'own'), 'utf8'), 'on the disk')
    assert.equal(await readFile(join(setAside ?? '', 'own'), 'utf8'), 'below')
  })

  it('follows a changed limit up and down, but never down below what it holds or what is in use', async (t) => {
    const disk = await place(t)
    const sized = async (size: number, options = quiet) => {
      const { postponed } = await openDisk(programs, { ...disk, MiB: size }, options)
      assert.equal(await readFile(join(disk.point, 'kept'), 'utf8').catch(() => 'kept'), 'kept')
      return [(await readSize(disk.image)) === sizeOf(size).bytes, postponed]
    }
    assert.deepEqual(await sized(16), [true, undefined])
    await writeFile(join(disk.point, 'kept'), 'kept')
    assert.deepEqual(await sized(40), [true, undefined])
    assert.deepEqual(await sized(20, { quiet: false }), [false, 'its files are in use'])
    await writeFile(join(disk.point, 'large'), Buffer.alloc(30 * MiB, 1))
    assert.equal((await sized(16))[0], false)
    assert.equal((await sized(16))[1], 'its files exceed its limit')
    assert.equal((await stat(join(disk.point, 'large'))).size, 30 * MiB)
    const { MiBs } = await fillUp(disk.point)
    assert.ok(MiBs < 8, `a group above its limit still got ${MiBs} MiB`)
    for (const name of await readdir(disk.point)) if (name !== 'kept') await rm(join(disk.point, name), { recursive: true })
    assert.deepEqual(await sized(16), [true, undefined])
  })

  it('is gone from the namespaces of others once it is closed', async (t) => {
    const disk = await place(t)
    await shareDirectory(programs, disk.directory)
    await openDisk(programs, disk, quiet)
    const holder = execFileSync('unshare', ['--mount', '--propagation', 'slave', 'sh', '-c', 'sleep 120 >/dev/null 2>&1 & echo $!'])
    t.after(() => process.kill(Number(holder), 'SIGKILL'))
    await gone(disk.directory)
  })

  it('is mounted once where the file system around it is shared, as systemd has it', async (t) => {
    const disk = await place(t)
    const around = dirname(disk.directory)
    execFileSync('mount', ['--bind', around, around])
    execFileSync('mount', ['--make-shared', around])
    t.after(() => closeDisks(programs, around))
    await shareDirectory(programs, disk.directory)
    await openDisk(programs, disk, quiet)
    assert.deepEqual(
      (await readMountsBelow(disk.directory)).filter((point) => point === disk.point),
      [disk.point],
    )
    assert.equal(await closeDisks(programs, disk.point), 1)
  })

  /** Programs that end with the process after so many acts; `acts` counts those that there were. */
  const dying = (most: number) => {
    const life = { acts: 0 }
    const mortal = new Proxy(programs, {
      get: (target, name) => {
        const act: unknown = Reflect.get(target, name)
        if (typeof act !== 'function') return act
        return async (...args: unknown[]) => {
          if (life.acts >= most) throw new Error('died')
          life.acts += 1
          await Reflect.apply(act, target, args)
        }
      },
    }) satisfies DiskPrograms
    return { mortal, life }
  }

  const scenarios = [
    { name: 'made with what the group had', from: undefined, to: 16 },
    { name: 'made larger', from: 16, to: 40 },
    { name: 'made smaller', from: 40, to: 16 },
  ]
  for (const { name, from, to } of full ? scenarios : scenarios.slice(0, 1)) {
    it(`is whole whenever a process dies while it is ${name}, and nothing is left mounted`, async (t) => {
      for (let most = 0; ; most += 1) {
        const disk = await place(t, to)
        await mkdir(disk.point)
        await writeFile(join(disk.point, 'kept'), 'kept')
        if (from !== undefined) await openDisk(programs, { ...disk, MiB: from }, quiet)
        const { mortal } = dying(most)
        const died = await openDisk(mortal, disk, quiet).then(
          ({ postponed }) => postponed === 'died',
          () => true,
        )
        // As a start does it after a death.
        await closeDisks(programs, disk.directory)
        const { postponed } = await openDisk(programs, disk, quiet)
        assert.equal(postponed, undefined, `after ${most} acts`)
        assert.equal(await readFile(join(disk.point, 'kept'), 'utf8'), 'kept', `after ${most} acts`)
        assert.equal(await readSize(disk.image), sizeOf(to).bytes)
        await gone(disk.directory)
        const left = (await readdir(join(disk.directory, '.disks'))).filter((each) => !each.startsWith('g.img.aside-'))
        assert.deepEqual(left, ['g.img'], `after ${most} acts`)
        if (!died) return assert.ok(most > 8, `only ${most} acts`)
      }
    })
  }
})
