// Steps of the turn-over that fail: the present file goes on, or nothing is taken until it has its name again.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import promises, { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { type Journal, type JournalOptions, openJournal, verifyJournal } from '../src/index.ts'
import { rotatedPath } from '../src/rotated.ts'
import { collect, fileSize, given, numbered, pathsOf, settle } from './files.ts'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { isUnwritable, line, lines, newOptions, openFor, optionsIn, silent } from './state.ts'

const failure = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO', errno: -5 })

/** Renames fail where `fails` says so of their number, from 1; ended by the function that it gives. */
const failRenames = (t: TestContext, fails: (number: number) => boolean): (() => void) => {
  const { rename } = promises
  let number = 0
  const mocked = t.mock.method(promises, 'rename', async (from: string, to: string) => {
    number += 1
    if (fails(number)) throw failure()
    await rename(from, to)
  })
  syncBuiltinESMExports()
  const end = (): void => {
    mocked.mock.restore()
    syncBuiltinESMExports()
  }
  t.after(end)
  return end
}

/** Syncs of directories fail where `fails` says so of their number, from 1. */
const failDirectorySyncs = async (t: TestContext, fails: (number: number) => boolean): Promise<() => void> => {
  await using probe = await open(import.meta.dirname)
  const handles = Object.getPrototypeOf(probe) as FileHandle
  const { sync } = handles
  let number = 0
  const mocked = t.mock.method(handles, 'sync', async function (this: FileHandle) {
    if ((await this.stat()).isDirectory() && fails((number += 1))) throw failure()
    await sync.call(this)
  })
  return () => mocked.mock.restore()
}

interface Told {
  readonly options: JournalOptions
  readonly journal: Journal
  readonly warnings: string[]
}

/** A journal whose present file is about to be full. */
const almostFull = async (t: TestContext): Promise<Told> => {
  const warnings: string[] = []
  const options = { ...newOptions(t), fileSize, log: { ...silent, warn: (message: string) => void warnings.push(message) } }
  const journal = await openFor(t, options)
  await journal.append(lines(3))
  return { options, journal, warnings }
}

const fill = async (journal: Journal, from = 4): Promise<void> => {
  await journal.append(lines(3, from))
  await settle(journal)
}

const assertWhole = async ({ options, journal }: Told, count: number): Promise<void> => {
  assert.deepEqual(given(await collect(journal.entriesAfter(0))), numbered(count))
  assert.deepEqual((await verifyJournal({ ...options, known: [journal.head()] })).ok, true)
  assert.ok(!existsSync(`${options.path}.next`))
}

const growth = 1024 * 1024

describe('a turn-over that fails', () => {
  for (const [what, at] of [
    ['the old file cannot be renamed', 1],
    ['the new file cannot take its name', 2],
  ] as const) {
    test(`leaves the present file going on where ${what}`, async (t) => {
      const told = await almostFull(t)
      const end = failRenames(t, (number) => number === at)
      await told.journal.append(lines(3, 4))
      await told.journal.append(lines(1, 7))
      end()
      assert.deepEqual(await pathsOf(told.options.path), [told.options.path])
      assert.deepEqual(told.warnings, ['the journal goes on in its present file, since no new one could be begun'])
      await assertWhole(told, 7)
    })
  }

  test('is tried again when the file has grown by a good deal, and not before', async (t) => {
    const told = await almostFull(t)
    const end = failRenames(t, () => true)
    await fill(told.journal)
    end()
    await fill(told.journal, 7)
    assert.deepEqual(await pathsOf(told.options.path), [told.options.path])
    await told.journal.append([line('x'.repeat(growth))])
    await settle(told.journal)
    assert.equal((await pathsOf(told.options.path)).length, 2)
    assert.equal(told.warnings.length, 1)
    assert.equal((await verifyJournal({ ...told.options, known: [told.journal.head()] })).ok, true)
  })

  test('takes nothing while the present file lies under another name, and goes on by itself', async (t) => {
    const told = await almostFull(t)
    const end = failRenames(t, (number) => number > 1)
    await told.journal.append(lines(3, 4))
    await assert.rejects(told.journal.append([line('lost')]), isUnwritable)
    await assert.rejects(
      told.journal.append([line('lost')]),
      (error) => isServiceError(error) && error.detail.includes('the name of the journal cannot be made to last'),
    )
    assert.ok(!existsSync(told.options.path) && existsSync(rotatedPath(told.options.path, 1)))
    end()
    await told.journal.append(lines(1, 7))
    assert.deepEqual(await pathsOf(told.options.path), [told.options.path])
    await assertWhole(told, 7)
  })

  test('leaves a journal that opens, should the process end while the file lies under another name', async (t) => {
    const told = await almostFull(t)
    const end = failRenames(t, (number) => number > 1)
    await fill(told.journal).catch(() => {})
    end()
    assert.ok(!existsSync(told.options.path))
    const again = await openFor(t, told.options)
    await again.append(lines(1, 7))
    assert.equal((await pathsOf(told.options.path)).length, 2)
    await assertWhole({ ...told, journal: again }, 7)
  })

  test('takes nothing while the names cannot be made to last, and goes on by itself in the new file', async (t) => {
    const told = await almostFull(t)
    const end = await failDirectorySyncs(t, (number) => number > 2)
    await told.journal.append(lines(3, 4))
    await assert.rejects(told.journal.append([line('lost')]), isUnwritable)
    assert.equal((await pathsOf(told.options.path)).length, 2)
    end()
    await told.journal.append(lines(1, 7))
    await assertWhole(told, 7)
  })

  test('overwrites no file that has the name of the one to be closed', async (t) => {
    const told = await almostFull(t)
    const path = rotatedPath(told.options.path, 1)
    writeFileSync(path, 'what somebody left here')
    await fill(told.journal)
    assert.equal(readFileSync(path, 'utf8'), 'what somebody left here')
    rmSync(path)
    await fill(told.journal, 7)
    assert.equal(told.warnings.length, 1)
    await assertWhole(told, 9)
  })

  test('leaves the present file going on where the disk has no room for another', { skip: noSmallDisk }, () =>
    onSmallDisk('64k', async (directory) => {
      const options = { ...optionsIn(directory), fileSize: 14_000 }
      const journal = await openJournal(options)
      try {
        // The page that has room for the closing checkpoint is taken before the others are.
        await journal.append([line('x'.repeat(13_000))])
        assert.throws(() => writeFileSync(join(directory, 'filler'), Buffer.alloc(64 * 1024)), { code: 'ENOSPC' })
        await journal.append([line('y'.repeat(700))])
        await settle(journal)
        await journal.append([line('after')])
        assert.deepEqual(await pathsOf(options.path), [options.path])
        assert.equal(given(await collect(journal.entriesAfter(0))).at(-1), 'after')
        assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, true)
      } finally {
        await journal.close()
      }
    }),
  )
})
