// Faulty preallocated disks, and concurrent operations on several of them.
// Profile: rest. A matrix of faults; premade.test.ts shows what a disk does.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { access, chown, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareDisks, releaseDisk } from '../../src/detect-disks.ts'
import { isMounted } from '../../src/disks/disk.ts'
import { closeDisks } from '../../src/disks/open.ts'
import { closePremadeTrial, openPremadeTrial } from '../../src/preallocated/detect.ts'
import { isReady, type PremadeDisk } from '../../src/preallocated/make.ts'
import { openPremade, resumePremade } from '../../src/preallocated/open.ts'
import type { Pool, PremadePrograms } from '../../src/preallocated/pool.ts'
import { readReference, referenceOf } from '../../src/preallocated/reference.ts'
import { openScene, quiet } from '../fixtures/premade-scene.ts'
import { lacking, makeDisks } from '../fixtures/premade.ts'

if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)
const root = { uid: 0, gid: 0 }

describe('disks that were made beforehand', { skip: lacking === '' ? false : lacking, timeout: 300_000 }, async () => {
  if (lacking !== '') return
  const scene = await openScene(['16-trial', '16-01', '16-02', '40-01'])
  after(scene.remove)
  const { weakened, on, state, pool, maker } = scene
  const empty = async (): Promise<void> => {
    for (const name of ['16-01', '16-02', '40-01']) await pool.programs.empty(scene.disk(name).path)
  }

  /** Mends a copy of the image, as the kernel may still have the old one. */
  const repair = async (disk: PremadeDisk): Promise<void> => {
    execFileSync('sync', ['--file-system', disk.path])
    execFileSync('umount', [disk.path])
    await copyFile(`${disk.path}.img`, `${disk.path}.copy`)
    assert.ok((spawnSync('e2fsck', ['-fy', `${disk.path}.copy`]).status ?? 8) <= 1)
    await rename(`${disk.path}.copy`, `${disk.path}.img`)
    await maker.mount(disk, root)
  }

  it('are shown to a group as they are after a repair, as soon as nobody uses what they were before', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    await open('g', 40)
    await writeFile(`${groups}/g/kept`, 'kept')
    const disk = scene.disk('40-01')
    await repair(disk)
    const former = (await stat(`${groups}/g`)).dev
    assert.notEqual((await stat(disk.path)).dev, former)
    await assert.rejects(resumePremade(pool, { groups, group: 'g' }, { quiet: false }), /40-01 was mounted again/)
    await assert.rejects(openPremade(pool, { groups, group: 'g', MiB: 40 }, { quiet: false }), /40-01 was mounted again/)
    assert.equal((await stat(`${groups}/g`)).dev, former)
    assert.equal(await resumePremade(pool, { groups, group: 'g' }, quiet), true)
    assert.equal((await stat(`${groups}/g`)).dev, (await stat(disk.path)).dev)
    assert.equal(await readFile(`${groups}/g/kept`, 'utf8'), 'kept')
  })

  it('are released only when they are empty', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    await open('g')
    await writeFile(`${groups}/g/secret`, 'of the group')
    await closeDisks(pool.programs, groups)
    const { path } = scene.disk('16-01')
    const reference = referenceOf(groups, 'g')
    execFileSync('mount', ['-o', 'remount,ro', path])
    await assert.rejects(releaseDisk(pool, reference), /16-01 is read-only/)
    assert.equal((await readReference(reference))?.name, '16-01')
    execFileSync('mount', ['-o', 'remount,rw', path])
    await releaseDisk(pool, reference)
    assert.deepEqual(await on('16-01'), ['lost+found'])
    await assert.rejects(access(reference), { code: 'ENOENT' })
  })

  it('have all that they are given on them before a group counts on it', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    for (const name of ['workspace', 'memory']) await mkdir(`${groups}/g/${name}`, { recursive: true })
    const acts: string[] = []
    const recorded = weakened((real) => ({
      copy: async (from, to) => {
        acts.push('copy')
        await real.copy(from, to)
      },
      raise: async (directory) => {
        acts.push('raise')
        await real.raise(directory)
      },
      settle: async (disk) => {
        acts.push(`settle ${disk}`)
        await real.settle(disk)
      },
      write: async (path, text) => {
        if (path === referenceOf(groups, 'g')) acts.push('reference')
        await real.write(path, text)
      },
    }))
    await open('g', 16, recorded)
    assert.deepEqual(acts, ['copy', 'copy', 'raise', `settle ${scene.disk('16-01').path}`, 'reference'])
  })

  it('have nothing on them of a group whose files did not fit', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    await mkdir(`${groups}/g`)
    for (const name of ['large', 'larger']) await writeFile(`${groups}/g/${name}`, Buffer.alloc(12 * 1024 * 1024, 1))
    await assert.rejects(open('g'), { code: 'ENOSPC', message: /No space left/ })
    for (const name of ['16-01', '16-02']) assert.deepEqual(await on(name), ['lost+found'])
  })

  it('are not used if they belong to another user', async (t) => {
    await empty()
    const { path } = scene.disk('40-01')
    const { open } = await state(t)
    await chown(path, 65_532, 65_532)
    t.after(() => chown(path, 0, 0))
    await assert.rejects(open('g', 40), /40-01 belongs to another user: gatehouse setup --disks 1x40 --owner UID changes its owner/)
  })

  it('have nothing of a trial on them after it, nor of one that was killed', async () => {
    const place = join(scene.home, 'trial')
    const point = await openPremadeTrial(pool, place)
    await writeFile(`${point}/left`, '')
    assert.deepEqual(await on('16-trial'), ['left', 'lost+found'])
    await openPremadeTrial(pool, place)
    assert.deepEqual(await on('16-trial'), ['lost+found'])
    await writeFile(`${point}/left`, '')
    await closePremadeTrial(pool, place)
    assert.deepEqual(await on('16-trial'), ['lost+found'])
  })

  it('are emptied of what was rescued on them too, which setup gives to their owner and counts', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    const disk = scene.disk('16-01')
    await open('g')
    await mkdir(`${groups}/g/lost+found/#12/deep`, { recursive: true })
    await writeFile(`${groups}/g/lost+found/#12/deep/secret`, 'of the group')
    await rm(`${groups}/g/.disk`)
    assert.equal(await maker.holds(disk), true)
    await closeDisks(pool.programs, groups)
    const other = await state(t)
    await other.open('g')
    assert.equal(await other.nameOf('g'), '16-01')
    assert.deepEqual(await readdir(`${disk.path}/lost+found`), [])
    await pool.programs.empty(disk.path)
    assert.equal(await maker.holds(disk), false)
    // As e2fsck makes it where it is missing; a disk without it is as good as any.
    await rm(`${disk.path}/lost+found`, { recursive: true })
    await pool.programs.empty(disk.path)
    assert.equal(await isReady(disk, root), true)
    await mkdir(`${disk.path}/lost+found`, { mode: 0o700 })
    await chown(`${disk.path}/lost+found`, 1, 1)
    assert.equal(await isReady(disk, root), false)
    await maker.mount(disk, root)
    assert.equal((await stat(`${disk.path}/lost+found`)).uid, 0)
  })

  /** Whether another act on disks came while a disk was being emptied by the first. */
  const overlap = (isFirst: (disk: string) => boolean) => {
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const { promise: met, resolve: meet } = Promise.withResolvers<true>()
    let isBusy = false
    const note = async (disk: string, act: () => Promise<void>): Promise<void> => {
      if (isBusy) meet(true)
      if (!isBusy && isFirst(disk)) {
        isBusy = true
        begin()
        // Long enough for whoever does not wait.
        await Promise.race([met, pause(600)])
        await act()
        isBusy = false
      } else await act()
    }
    const watched: Pool = weakened((real: PremadePrograms) => ({
      empty: (disk) => note(disk, () => real.empty(disk)),
      remove: (path) => (path.endsWith('.disk') ? note(path, () => real.remove(path)) : real.remove(path)),
    }))
    return { watched, began, hasMet: () => Promise.race([met, pause(0, false)]) }
  }

  it('are given back by one at a time, while nobody else is given one', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    await open('old')
    await closeDisks(pool.programs, groups)
    const { watched, began, hasMet } = overlap((disk) => disk.endsWith('16-02'))
    const given = open('new', 16, watched)
    await began
    await releaseDisk(watched, referenceOf(groups, 'old'))
    await given
    assert.equal(await hasMet(), false)
  })

  it('are moved to by one at a time, while nobody else is given one', async (t) => {
    await empty()
    const { open } = await state(t)
    await open('old')
    const { watched, began, hasMet } = overlap((disk) => disk.endsWith('16-02'))
    const given = open('new', 16, watched)
    await began
    assert.deepEqual(await open('old', 40, watched), {})
    await given
    assert.equal(await hasMet(), false)
  })

  it('are shared with sandboxes that run also where they were found at a later look', async (t) => {
    const made = await makeDisks(['16-trial'])
    t.after(made.remove)
    const trial = made.disk('16-trial')
    await made.maker.unmount(trial)
    const found = await prepareDisks(made.groups, made.disks)
    assert.ok('refused' in found && found.again !== undefined)
    assert.equal(await isMounted(made.groups), false)
    await made.maker.mount(trial, root)
    assert.ok('premade' in (await found.again()))
    const line = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').find((each) => each.includes(` ${made.groups} `))
    assert.match(line ?? '', / shared:\d+ /)
  })
})
