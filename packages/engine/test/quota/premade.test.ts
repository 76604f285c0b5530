// Preallocated disks: each group gets one of its size, gets another after a changed limit, and its disk is emptied when it is released.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readMountsBelow } from '@gatehouse/kernel'
import { releaseDisk } from '../../src/detect-disks.ts'
import { isMounted } from '../../src/disks/disk.ts'
import { closeDisks } from '../../src/disks/open.ts'
import { DiskRefused } from '../../src/preallocated/disk.ts'
import { openPremade, resumePremade } from '../../src/preallocated/open.ts'
import type { Pool } from '../../src/preallocated/pool.ts'
import { readReference, referenceOf } from '../../src/preallocated/reference.ts'
import { leaveOnlyCopy, openScene, quiet } from '../fixtures/premade-scene.ts'
import { lacking } from '../fixtures/premade.ts'

const MiB = 1024 * 1024
if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)

const names = ['16-trial', '16-01', '16-02', '40-01']

describe('the disk of a group that was made beforehand', { skip: lacking === '' ? false : lacking, timeout: 300_000 }, async () => {
  if (lacking !== '') return
  const scene = await openScene(names)
  after(scene.remove)
  const { disks, home, pool, state } = scene

  it('has its size, belongs to no other group, enforces its limit, and is the same the next time', async (t) => {
    const { groups, open, nameOf } = await state(t)
    let [choosing, most] = [0, 0]
    const sizes = { one: 16, two: 16, large: 40 }
    const watched: Pool = {
      ...pool,
      programs: {
        ...pool.programs,
        async empty(disk) {
          most = Math.max(most, (choosing += 1))
          await pool.programs.empty(disk)
        },
        async write(path, text) {
          await pool.programs.write(path, text)
          if (Object.keys(sizes).some((group) => path === referenceOf(groups, group))) choosing -= 1
        },
      },
    }
    await Promise.all(Object.entries(sizes).map(([group, size]) => openPremade(watched, { groups, group, MiB: size }, quiet)))
    assert.deepEqual([choosing, most], [0, 1], 'one chooses at a time')
    assert.deepEqual(new Set([await nameOf('one'), await nameOf('two')]), new Set(['16-01', '16-02']))
    assert.equal(await nameOf('large'), '40-01')
    await writeFile(`${groups}/one/kept`, 'of one')
    await assert.rejects(writeFile(`${groups}/two/fill`, Buffer.alloc(20 * MiB, 1)), { code: 'ENOSPC' })
    const line = (await readFile('/proc/self/mounts', 'utf8')).split('\n').find((each) => each.includes(`${groups}/one `))
    for (const flag of ['nosuid', 'nodev', 'noexec']) assert.ok(line?.includes(flag), line)
    await closeDisks(pool.programs, groups)
    assert.deepEqual(await readdir(`${groups}/one`), [])
    assert.equal(await resumePremade(pool, { groups, group: 'one' }, quiet), true)
    assert.equal(await readFile(`${groups}/one/kept`, 'utf8'), 'of one')
    assert.deepEqual(await open('one'), {})
    assert.equal((await readMountsBelow(`${groups}/one`)).length, 1)
    assert.equal(await resumePremade(pool, { groups, group: 'none' }, quiet), false)
  })

  it('is refused where there is none of its size, or none that is free, with what there is and what to do', async (t) => {
    const { open } = await state(t)
    const none = (error: unknown) => error instanceof DiskRefused && error.scarce
    await assert.rejects(open('g', 256), (error: Error) => {
      assert.match(error.message, /no disk of 256 MiB .* 2 of 16 MiB, 1 of 40 MiB: gatehouse setup --disks 1x256 /)
      return none(error)
    })
    for (const group of ['one', 'two']) await open(group)
    await assert.rejects(open('three'), (error: Error) => {
      assert.match(error.message, /all 2 disks of 16 MiB .* in use: gatehouse setup --disks 3x16 /)
      return none(error)
    })
    // As many as there are images: with fewer setup would make none.
    const unmounted = `${disks}/16-04.img`
    await writeFile(unmounted, '')
    t.after(() => rm(unmounted))
    await assert.rejects(open('three'), /all 2 disks of 16 MiB .* in use, and 1 more not mounted: gatehouse setup --disks 4x16 /)
  })

  it('contains the existing files of the group and none of the former group', async (t) => {
    const before = await state(t)
    // So that the next state has no other to take.
    for (const group of ['old', 'other']) await before.open(group)
    const deep = `${before.groups}/old/workspace/${'d'.repeat(200)}`
    await mkdir(`${deep}/full`, { recursive: true })
    for (let index = 0; index < 400; index += 1) await mkdir(`${deep}/${'n'.repeat(100)}-${index}`)
    await assert.rejects(writeFile(`${deep}/full/fill`, Buffer.alloc(20 * MiB, 1)), { code: 'ENOSPC' })
    await assert.rejects(
      async () => {
        for (let index = 0; ; index += 1) await mkdir(`${deep}/last-${index}`)
      },
      { code: 'ENOSPC' },
    )
    await closeDisks(pool.programs, before.groups)
    const { groups, open } = await state(t)
    await mkdir(`${groups}/g/workspace/deep`, { recursive: true, mode: 0o700 })
    await mkdir(`${groups}/g/lost+found`)
    await writeFile(`${groups}/g/workspace/deep/file`, 'from before', { mode: 0o640 })
    execFileSync('mkfifo', [`${groups}/g/workspace/pipe`])
    execFileSync('chown', ['-R', '700001:700001', `${groups}/g/workspace`])
    const { name } = (await readReference(referenceOf(before.groups, 'old'))) ?? {}
    execFileSync('mount', ['-o', 'remount,ro', scene.disk(name === '16-01' ? '16-02' : '16-01').path])
    t.after(() => execFileSync('mount', ['-o', 'remount,rw', scene.disk(name === '16-01' ? '16-02' : '16-01').path]))
    assert.deepEqual(await open('g'), { emptied: name })
    assert.deepEqual((await readdir(`${groups}/g`)).toSorted(), ['.disk', 'lost+found', 'workspace'])
    assert.equal(await readFile(`${groups}/g/workspace/deep/file`, 'utf8'), 'from before')
    assert.equal((await stat(`${groups}/g/workspace/pipe`)).uid, 700_001)
    // The other state still names it.
    await assert.rejects(before.open('old'), /contains files of another state/)
    await closeDisks(pool.programs, groups)
    assert.deepEqual(await readdir(`${groups}/g`), [])
    assert.deepEqual(await readdir(`${groups}/.disks`), ['g.disk'])
  })

  it('is one that holds nothing, and one of a state that was rolled back only where there is no other, which is said', async (t) => {
    for (const name of ['16-01', '16-02', '40-01']) await pool.programs.empty(scene.disk(name).path)
    await leaveOnlyCopy(scene, t)
    const { groups, open, nameOf } = await state(t)
    assert.deepEqual(await open('first'), {})
    assert.equal(await nameOf('first'), '16-02')
    assert.equal(await readFile(`${disks}/16-01/only-copy`, 'utf8'), 'of the newer state')
    assert.deepEqual(await open('second'), { emptied: '16-01' })
    assert.deepEqual(await readdir(`${groups}/second`), ['.disk', 'lost+found'])
    // A group that moves takes one as well.
    await writeFile(`${disks}/40-01/.disk`, 'of another state')
    assert.deepEqual(await open('second', 40), { emptied: '40-01' })
  })

  it('is not assigned to a group whose files do not fit, and no file is lost', async (t) => {
    const { groups, open, nameOf } = await state(t)
    await mkdir(`${groups}/g`)
    await writeFile(`${groups}/g/large`, Buffer.alloc(30 * MiB, 1))
    await assert.rejects(open('g'), /No space left/)
    assert.equal((await stat(`${groups}/g/large`)).size, 30 * MiB)
    assert.equal(await nameOf('g'), undefined)
    await open('g', 40)
    assert.equal((await stat(`${groups}/g/large`)).size, 30 * MiB)
  })

  it('is another one after its limit changed, where there is one, its files fit and nobody uses them', async (t) => {
    const { groups, open, nameOf } = await state(t)
    await open('g')
    await writeFile(`${groups}/g/kept`, 'kept')
    assert.equal((await openPremade(pool, { groups, group: 'g', MiB: 40 }, { quiet: false })).postponed, 'its files are in use')
    assert.match((await open('g', 64)).postponed ?? '', /no disk of 64 MiB/)
    await pool.programs.empty(scene.disk('40-01').path)
    assert.deepEqual(await open('g', 40), {})
    assert.equal(await nameOf('g'), '40-01')
    await writeFile(`${groups}/g/large`, Buffer.alloc(30 * MiB, 1))
    assert.equal((await open('g')).postponed, 'its files exceed its limit')
    await rm(`${groups}/g/large`)
    assert.deepEqual(await open('g'), {})
    assert.equal(await readFile(`${groups}/g/kept`, 'utf8'), 'kept')
    // Whoever has it next finds it as empty as the group left it.
    assert.deepEqual(await readdir(`${disks}/40-01`), ['lost+found'])
    assert.equal((await readMountsBelow(`${groups}/g`)).length, 1)
  })

  it('sets aside what was written below it while it was not mounted', async (t) => {
    const { groups, open } = await state(t)
    await open('g')
    await writeFile(`${groups}/g/own`, 'on the disk')
    await closeDisks(pool.programs, groups)
    await writeFile(`${groups}/g/own`, 'below')
    const { setAside } = await open('g')
    assert.equal(await readFile(`${groups}/g/own`, 'utf8'), 'on the disk')
    assert.equal(await readFile(join(setAside ?? '', 'own'), 'utf8'), 'below')
  })

  it('is not used while it is not mounted, cannot be written, is no disk at all, or somebody else has its place', async (t) => {
    const { groups, open } = await state(t)
    const [disk, other] = [scene.disk('40-01'), scene.disk('16-01')]
    await open('g', 40)
    const faulty = async (words: RegExp) => {
      if (await isMounted(`${groups}/g`)) {
        // A sandbox uses it: it stays, with words.
        const inUse = new RegExp(`${words.source}.*; sandboxes of the group use it, so stop the unit first$`)
        await assert.rejects(resumePremade(pool, { groups, group: 'g' }, { quiet: false }), inUse)
        assert.equal(await isMounted(`${groups}/g`), true)
        await assert.rejects(resumePremade(pool, { groups, group: 'g' }, quiet), words)
        assert.equal(await isMounted(`${groups}/g`), false)
      }
      await assert.rejects(open('g', 40), (error) => error instanceof DiskRefused && !error.scarce && words.test(error.message))
      await assert.rejects(resumePremade(pool, { groups, group: 'g' }, quiet), words)
      assert.equal(await isMounted(`${groups}/g`), false)
      assert.deepEqual(await readdir(`${groups}/g`), [])
    }
    execFileSync('mount', ['-o', 'remount,ro', disk.path])
    await faulty(/40-01 is read-only/)
    execFileSync('mount', ['-o', 'remount,rw', disk.path])
    execFileSync('umount', [disk.path])
    await faulty(/40-01 is not mounted/)
    const mountable = /none of the 1 disks of 40 MiB for groups is mounted.*: gatehouse setup --disks 1x40 mounts .*bare-host\.md/
    await assert.rejects(open('new', 40), (error) => error instanceof DiskRefused && !error.scarce && mountable.test(error.message))
    execFileSync('mount', ['--bind', home, disk.path])
    execFileSync('mount', ['-o', 'remount,bind,nosuid,nodev,noexec', disk.path])
    await faulty(/40-01 is larger than 40 MiB/)
    execFileSync('umount', [disk.path])
    execFileSync('mount', ['-o', 'loop', `${disk.path}.img`, disk.path])
    await faulty(/40-01 is mounted without nosuid, nodev, noexec/)
    execFileSync('umount', [disk.path])
    await mkdir(disk.path, { recursive: true })
    await scene.maker.mount(disk, { uid: 0, gid: 0 })
    assert.deepEqual(await open('g', 40), {})
    // One that has to be mended keeps no group from the others.
    execFileSync('mount', ['-o', 'remount,ro', other.path])
    t.after(() => execFileSync('mount', ['-o', 'remount,rw', other.path]))
    await open('second')
    assert.equal((await readReference(referenceOf(groups, 'second')))?.name, '16-02')
    await assert.rejects(open('third'), /16-01 is read-only/)
  })

  it('stays taken while the files of a group that is gone are kept, and is empty when they go', async (t) => {
    const { groups, open } = await state(t)
    for (const group of ['one', 'two']) await open(group)
    const [one, two] = [await readReference(referenceOf(groups, 'one')), await readReference(referenceOf(groups, 'two'))]
    for (const group of ['one', 'two']) await writeFile(`${groups}/${group}/kept`, group)
    await closeDisks(pool.programs, groups)
    for (const group of ['one', 'two']) {
      await mkdir(`${groups}/.removed/${group}.1`, { recursive: true })
      await rename(referenceOf(groups, group), `${groups}/.removed/${group}.1/${group}.disk`)
    }
    await assert.rejects(open('three'), /in use/)
    await releaseDisk(pool, `${groups}/.removed/one.1/one.disk`)
    assert.deepEqual(await readdir(`${disks}/${one?.name}`), ['lost+found'])
    assert.equal(await readFile(`${disks}/${two?.name}/kept`, 'utf8'), 'two')
    await open('three')
    await writeFile(`${groups}/three/kept`, 'three')
    // A disk that was given away since is not emptied for whoever had it before.
    await writeFile(`${groups}/.removed/one.1/one.disk`, `${one?.name} ${one?.mark}\n`)
    await releaseDisk(pool, `${groups}/.removed/one.1/one.disk`)
    assert.equal(await readFile(`${groups}/three/kept`, 'utf8'), 'three')
    assert.deepEqual(await readdir(`${groups}/.removed/one.1`), [])
  })
})
