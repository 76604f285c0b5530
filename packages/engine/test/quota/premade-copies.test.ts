// Copies onto disks that were made beforehand that fail, never end or outlive who began them: no group gets or loses anything by them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it, type TestContext } from 'node:test'
import { releaseDisk } from '../../src/detect-disks.ts'
import { closeDisks } from '../../src/disks/open.ts'
import { emptyTree } from '../../src/disks/tree.ts'
import { referenceOf } from '../../src/preallocated/reference.ts'
import { leaveOnlyCopy, openScene } from '../fixtures/premade-scene.ts'
import { lacking } from '../fixtures/premade.ts'
import { processesWith, until } from '../fixtures/processes.ts'

if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)
const noRoom = (path: string): Error => Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), { code: 'ENOSPC' })

/** `said`: waits for that many more of a word. */
const startOrphan = async (t: TestContext, to: string) => {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../fixtures/orphan.ts'), to], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = async (word: string, count: number): Promise<void> => {
    for (let seen = 0; seen < count;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error('expected the copy to go on, but it ended')
      if (value === word) seen += 1
    }
  }
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { said, end }
}

describe('a copy that its unit began', () => {
  it('ends with it', async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'gh-copy-'))
    t.after(() => rm(home, { recursive: true }))
    const cp = join(home, 'cp')
    await writeFile(cp, `#!${process.execPath}\nrequire('node:fs').writeFileSync('${home}/begun', '')\nsetInterval(() => {}, 1000)\n`)
    t.after(async () => (await processesWith(cp)).forEach((pid) => process.kill(pid, 'SIGKILL')))
    await chmod(cp, 0o755)
    const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, '../fixtures/begins-copy.ts'), cp], {
      stdio: 'ignore',
    })
    t.after(() => child.kill('SIGKILL'))
    await until(async () => (await readdir(home)).includes('begun'), 'a copy')
    child.kill('SIGKILL')
    await until(async () => (await processesWith(cp)).length === 0, 'the end of the copy')
  })
})

describe('a directory that is emptied', () => {
  it('goes although names come into it after all were removed', async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'gh-late-'))
    t.after(() => rm(home, { recursive: true }))
    const directory = join(home, 'full')
    await mkdir(directory)
    await writeFile(join(directory, 'first'), '')
    const script = `const fs = require('node:fs'); process.stdout.write('ready')
      try { for (let late = 0; late < 20; ) if (fs.readdirSync('.').length === 0) fs.writeFileSync('late-' + (late += 1), '') } catch {}`
    const child = spawn(process.execPath, ['-e', script], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await emptyTree(home)
    assert.deepEqual(await readdir(home), [])
  })
})

describe('a copy onto a disk that was made beforehand', { skip: lacking === '' ? false : lacking, timeout: 300_000 }, async () => {
  if (lacking !== '') return
  const scene = await openScene(['16-trial', '16-01', '16-02', '16-03', '40-01', '64-01', '64-02'])
  after(scene.remove)
  const { weakened, on, state, disks, pool } = scene
  const empty = async (): Promise<void> => {
    for (const name of ['16-01', '16-02', '16-03', '40-01', '64-01', '64-02']) await pool.programs.empty(scene.disk(name).path)
  }

  it('puts nothing into the files of the next group when it outlives who began it', async (t) => {
    await empty()
    const { groups, open, nameOf } = await state(t)
    for (const group of ['old', 'next']) await mkdir(`${groups}/${group}/workspace`, { recursive: true })
    let orphan: Awaited<ReturnType<typeof startOrphan>> | undefined
    let isDead = false
    const dead = () => (isDead ? Promise.reject(new Error('killed')) : undefined)
    const dying = weakened((real) => ({
      copy: async (_from, to) => {
        await mkdir(to, { recursive: true })
        orphan = await startOrphan(t, to)
        await orphan.said('written', 50)
        isDead = true
        throw new Error('killed')
      },
      empty: async (disk) => (await dead()) ?? real.empty(disk),
      remove: async (path) => (await dead()) ?? real.remove(path),
    }))
    await assert.rejects(open('old', 40, dying), /killed/)
    // It goes on: another group gets the very disk.
    await open('next', 40)
    assert.equal(await nameOf('next'), '40-01')
    await orphan?.said('ENOENT', 200)
    await orphan?.end()
    assert.deepEqual((await readdir(`${groups}/next`, { recursive: true })).toSorted(), ['.disk', 'lost+found', 'workspace'])
  })

  it('leaves the only copy of a group of another state alone, however often its reference cannot be written', async (t) => {
    await empty()
    await leaveOnlyCopy(scene, t)
    const { groups, open, nameOf } = await state(t)
    const full = weakened((real) => ({
      write: (path, text) => (path === referenceOf(groups, 'g') ? Promise.reject(noRoom(path)) : real.write(path, text)),
    }))
    for (let attempt = 0; attempt < 4; attempt += 1) await assert.rejects(open('g', 16, full), /^Error: No space left/)
    assert.deepEqual([await on('16-02'), await on('16-03')], [['lost+found'], ['lost+found']])
    assert.deepEqual(await readdir(`${groups}/.disks`), [])
    assert.deepEqual(await open('g'), {})
    assert.equal(await nameOf('g'), '16-02')
    assert.equal(await readFile(`${disks}/16-01/only-copy`, 'utf8'), 'of the newer state')
  })

  it('leaves the only copy of a group of another state alone, however often the unit is killed before its reference is written', async (t) => {
    await empty()
    const newer = await state(t)
    await newer.open('g')
    await writeFile(`${newer.groups}/g/only-copy`, 'of the newer state')
    await closeDisks(pool.programs, newer.groups)
    const { groups, open } = await state(t)
    for (const group of ['one', 'two']) {
      let isDead = false
      const dying = weakened((real) => ({
        write: async (path, text) => {
          isDead ||= path === referenceOf(groups, group)
          return isDead ? Promise.reject(new Error('killed')) : real.write(path, text)
        },
        empty: (disk) => (isDead ? Promise.reject(new Error('killed')) : real.empty(disk)),
        remove: (path) => (isDead ? Promise.reject(new Error('killed')) : real.remove(path)),
      }))
      await assert.rejects(open(group, 16, dying), /killed/)
    }
    assert.deepEqual(
      [await on('16-02'), await on('16-03')],
      [
        ['.disk', 'lost+found'],
        ['.disk', 'lost+found'],
      ],
    )
    // Neither of the two that had a mark by then is a group's, and this state knows it.
    for (const group of ['three', 'four']) assert.deepEqual(await open(group), {})
    assert.equal(await readFile(`${disks}/16-01/only-copy`, 'utf8'), 'of the newer state')
  })

  it('is not begun on another disk where the files are what cannot be copied, and leaves the first one empty', async (t) => {
    await empty()
    const { groups, open, nameOf } = await state(t)
    await mkdir(`${groups}/g/workspace`, { recursive: true })
    await writeFile(`${groups}/g/workspace/kept`, 'kept')
    const tried: string[] = []
    const unable = weakened((real) => ({
      copy: async (from, to) => {
        await real.copy(from, to)
        tried.push(to)
        throw new Error('cp failed: File name too long')
      },
    }))
    await assert.rejects(open('g', 16, unable), /cannot copy the files of the group to 16-01: cp failed: File name too long/)
    assert.equal(tried.length, 1)
    assert.deepEqual(await on('16-01'), ['lost+found'])
    assert.deepEqual(await readdir(`${groups}/.disks`), [])
    // One that moves stays where it is.
    await open('g')
    assert.match((await open('g', 64, unable)).postponed ?? '', /to 64-01: cp failed: File name too long/)
    assert.equal(tried.length, 2)
    assert.deepEqual(await on('64-01'), ['lost+found'])
    assert.equal(await nameOf('g'), '16-01')
    assert.equal(await readFile(`${groups}/g/workspace/kept`, 'utf8'), 'kept')
  })

  it('is said to be too large where not even the mark has room, in the words by which whoever launches knows it', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    await mkdir(`${groups}/g`)
    const unmarked = weakened((real) => ({
      write: (path, text) => (path.endsWith('/.disk') ? Promise.reject(noRoom(path)) : real.write(path, text)),
    }))
    await assert.rejects(open('g', 16, unmarked), { code: 'ENOSPC', message: 'No space left on 16-01 for the files of the group' })
    await open('g')
    assert.equal((await open('g', 64, unmarked)).postponed, 'its files exceed its limit')
    // The disk of the host is another matter.
    const unwritten = weakened((real) => ({
      write: (path, text) => (path === referenceOf(groups, 'g') ? Promise.reject(noRoom(path)) : real.write(path, text)),
    }))
    assert.match((await open('g', 64, unwritten)).postponed ?? '', /^ENOSPC: no space left on device, write '.*g\.disk'$/)
  })

  it('leaves nothing on any disk when its group goes after a move that nobody ended', async (t) => {
    await empty()
    const { groups, open, nameOf } = await state(t)
    await open('g')
    await writeFile(`${groups}/g/secret`, 'of the group')
    const dying = weakened(() => ({ attach: () => Promise.reject(new Error('killed')) }))
    await assert.rejects(open('g', 64, dying), /killed/)
    await closeDisks(pool.programs, groups)
    assert.equal(await nameOf('g'), '64-01')
    assert.ok((await on('16-01')).includes('secret'), 'nobody emptied it yet')
    await mkdir(`${groups}/.removed`)
    await rename(`${groups}/.disks`, `${groups}/.removed/g.1`)
    await releaseDisk(pool, `${groups}/.removed/g.1/g.disk`)
    assert.deepEqual([await on('16-01'), await on('64-01')], [['lost+found'], ['lost+found']])
    assert.deepEqual(await readdir(`${groups}/.removed/g.1`), [])
  })

  it('is ended at the next open of a group whose move nobody ended', async (t) => {
    await empty()
    const { groups, open } = await state(t)
    await open('g')
    await writeFile(`${groups}/g/kept`, 'kept')
    await assert.rejects(
      open(
        'g',
        64,
        weakened(() => ({ attach: () => Promise.reject(new Error('killed')) })),
      ),
      /killed/,
    )
    await closeDisks(pool.programs, groups)
    assert.deepEqual(await open('g', 64), {})
    assert.deepEqual(await on('16-01'), ['lost+found'])
    assert.equal(await readFile(`${groups}/g/kept`, 'utf8'), 'kept')
    assert.deepEqual(await readdir(`${groups}/.disks`), ['g.disk'])
  })
})
