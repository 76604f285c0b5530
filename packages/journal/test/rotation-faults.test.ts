// Failing steps of a rotation: the current file stays in use, or appends are refused until it has its name again.
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

/** Makes the renames fail whose number, from 1, satisfies `fails`. Returns a function that ends this. */
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

/** Makes the directory syncs fail whose number, from 1, satisfies `fails`. */
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

/** A journal whose current file is almost full. */
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

describe('a failed rotation', () => {
  for (const [what, at] of [
    ['the old file cannot be renamed', 1],
    ['the new file cannot be renamed', 2],
  ] as const) {
    test(`leaves the current file in use when ${what}`, async (t) => {
      const logged = await almostFull(t)
      const end = failRenames(t, (number) => number === at)
      await logged.journal.append(lines(3, 4))
      await logged.journal.append(lines(1, 7))
      end()
      assert.deepEqual(await pathsOf(logged.options.path), [logged.options.path])
      assert.deepEqual(logged.warnings, ['could not rotate the journal, the current file stays in use'])
      await assertWhole(logged, 7)
    })
  }

  test('is retried only when the file has grown considerably', async (t) => {
    const logged = await almostFull(t)
    const end = failRenames(t, () => true)
    await fill(logged.journal)
    end()
    await fill(logged.journal, 7)
    assert.deepEqual(await pathsOf(logged.options.path), [logged.options.path])
    await logged.journal.append([line('x'.repeat(growth))])
    await settle(logged.journal)
    assert.equal((await pathsOf(logged.options.path)).length, 2)
    assert.equal(logged.warnings.length, 1)
    assert.equal((await verifyJournal({ ...logged.options, known: [logged.journal.head()] })).ok, true)
  })

  test('blocks appends while the current file has another name', async (t) => {
    const logged = await almostFull(t)
    const end = failRenames(t, (number) => number > 1)
    await logged.journal.append(lines(3, 4))
    await assert.rejects(logged.journal.append([line('lost')]), isUnwritable)
    await assert.rejects(
      logged.journal.append([line('lost')]),
      (error) => isServiceError(error) && error.detail.includes('cannot sync the name of the journal to disk'),
    )
    assert.ok(!existsSync(logged.options.path) && existsSync(rotatedPath(logged.options.path, 1)))
    end()
    await logged.journal.append(lines(1, 7))
    assert.deepEqual(await pathsOf(logged.options.path), [logged.options.path])
    await assertWhole(logged, 7)
  })

  test('leaves a journal that opens if the process ends while the file has another name', async (t) => {
    const logged = await almostFull(t)
    const end = failRenames(t, (number) => number > 1)
    await fill(logged.journal).catch(() => {})
    end()
    assert.ok(!existsSync(logged.options.path))
    const again = await openFor(t, logged.options)
    await again.append(lines(1, 7))
    assert.equal((await pathsOf(logged.options.path)).length, 2)
    await assertWhole({ ...logged, journal: again }, 7)
  })

  test('blocks appends while the names cannot be synced, and then continues in the new file', async (t) => {
    const logged = await almostFull(t)
    const end = await failDirectorySyncs(t, (number) => number > 2)
    await logged.journal.append(lines(3, 4))
    await assert.rejects(logged.journal.append([line('lost')]), isUnwritable)
    assert.equal((await pathsOf(logged.options.path)).length, 2)
    end()
    await logged.journal.append(lines(1, 7))
    await assertWhole(logged, 7)
  })

  test('does not overwrite a file that has the name for the closed file', async (t) => {
    const logged = await almostFull(t)
    const path = rotatedPath(logged.options.path, 1)
    writeFileSync(path, 'a file of another program')
    await fill(logged.journal)
    assert.equal(readFileSync(path, 'utf8'), 'a file of another program')
    rmSync(path)
    await fill(logged.journal, 7)
    assert.equal(logged.warnings.length, 1)
    await assertWhole(logged, 9)
  })

  test('leaves the current file in use when the disk has no space for another', { skip: noSmallDisk }, () =>
    onSmallDisk('64k', async (directory) => {
      const options = { ...optionsIn(directory), fileSize: 14_000 }
      const journal = await openJournal(options)
      try {
        // The page with space for the closing checkpoint is used before the others.
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
