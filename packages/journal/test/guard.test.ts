import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { type Journal, verifyJournal } from '../src/index.ts'
import { type Damage, exchange, linkToItself, missing, openedToOthers, secondName } from './damage.ts'
import { isUnwritable, line, lines, newOptions, openFor, rawLines } from './state.ts'

interface Fault {
  readonly what: string
  readonly pattern: RegExp
  /** Damages the file. */
  readonly damage: Damage
}

const faults: Fault[] = [
  {
    what: 'deleted',
    pattern: /file is missing/,
    damage: missing,
  },
  {
    what: 'deleted and restored from a copy',
    pattern: /file is missing/,
    damage: (path) => {
      const content = readFileSync(path)
      rmSync(path)
      return () => writeFileSync(path, content, { mode: 0o600 })
    },
  },
  { what: 'replaced by an empty file', pattern: /another file/, damage: (path) => exchange(path, Buffer.alloc(0)) },
  {
    what: 'replaced by an altered copy of the same size',
    pattern: /another file/,
    damage: (path) => exchange(path, Buffer.from(readFileSync(path, 'utf8').replace('line 2', 'line X'))),
  },
  {
    what: 'replaced by a link to itself',
    pattern: /another file/,
    damage: linkToItself,
  },
  {
    what: 'replaced by a directory',
    pattern: /another file/,
    damage: (path) => {
      renameSync(path, `${path}.away`)
      mkdirSync(path)
      return () => {
        rmSync(path, { recursive: true })
        renameSync(`${path}.away`, path)
      }
    },
  },
  {
    what: 'linked under a second name',
    pattern: /the file has 2 names/,
    damage: secondName,
  },
  {
    what: 'made accessible to others',
    pattern: /mode 600, got 644/,
    damage: openedToOthers(0o644),
  },
  {
    what: 'written by another program',
    pattern: /bytes, got/,
    damage: (path) => {
      const { length } = readFileSync(path)
      appendFileSync(path, 'x\n')
      return () => truncateSync(path, length)
    },
  },
  {
    what: 'cut',
    pattern: /bytes, got/,
    damage: (path) => {
      const content = readFileSync(path)
      truncateSync(path, content.length - 5)
      return () => writeFileSync(path, content)
    },
  },
  {
    what: 'moved away with its directory',
    pattern: /file is missing/,
    damage: (path) => {
      renameSync(dirname(path), `${dirname(path)}.away`)
      return () => renameSync(`${dirname(path)}.away`, dirname(path))
    },
  },
]

describe('a journal file', () => {
  for (const { what, pattern, damage } of faults) {
    test(`${what} blocks appends until it is repaired`, async (t) => {
      const options = newOptions(t)
      const journal = await openFor(t, options)
      await journal.append(lines(3))
      const head = journal.head()
      const repair = damage(options.path)
      await assert.rejects(journal.append([line('lost')]), (error) => isServiceError(error) && pattern.test(error.detail))
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.deepEqual(journal.head(), head)
      repair()
      await journal.append([line('after')])
      assert.deepEqual(
        rawLines(options.path).map((text) => JSON.parse(text).detail.text),
        ['line 1', 'line 2', 'line 3', 'after'],
      )
      assert.deepEqual(await verifyJournal(options), { ok: true, lines: 4, head: journal.head() })
    })
  }

  test('an altered byte of a file with the same size blocks appends after another fault', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    await journal.append(lines(3))
    const content = readFileSync(options.path, 'utf8')
    chmodSync(options.path, 0o640)
    await assert.rejects(journal.append(lines(1)), isUnwritable)
    writeFileSync(options.path, content.replace('line 2', 'line X'))
    chmodSync(options.path, 0o600)
    await assert.rejects(
      journal.append(lines(1)),
      (error) => isServiceError(error) && error.detail.includes('the content of the journal has changed (line 2'),
    )
    writeFileSync(options.path, content)
    await journal.append(lines(1, 4))
    assert.equal(journal.head().seq, 4)
  })

  test('a journal with too wide a mode can be read, and written after the mode is fixed', async (t) => {
    const options = newOptions(t)
    writeFileSync(options.path, '', { mode: 0o644 })
    const journal = await openFor(t, options)
    assert.deepEqual(await journal.page({ limit: 5 }), [])
    await assert.rejects(journal.append(lines(1)), (error) => isServiceError(error) && error.hint === `chmod 600 ${options.path}`)
    chmodSync(options.path, 0o600)
    await journal.append(lines(1))
    copyFileSync(options.path, `${options.path}.copy`)
    assert.equal(journal.head().seq, 1)
  })

  describe('after a failed sync', () => {
    /** The bytes of the failed line remain at the end, because removing them fails too. */
    const unfinished = async (t: TestContext): Promise<{ path: string; journal: Journal; size: number; repair: () => void }> => {
      const { path, ...options } = newOptions(t)
      const journal = await openFor(t, { path, ...options })
      await journal.append(lines(3))
      const { size } = statSync(path)
      await using probe = await open(path)
      const handles = Object.getPrototypeOf(probe) as FileHandle
      const failing = ['datasync', 'truncate'].map((name) =>
        t.mock.method(handles, name as 'datasync', () =>
          Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO', errno: -5 })),
        ),
      )
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.ok(statSync(path).size > size)
      return { path, journal, size, repair: () => failing.forEach(({ mock }) => mock.restore()) }
    }

    test('only bytes that the journal wrote itself are removed', async (t) => {
      const { path, journal, repair } = await unfinished(t)
      const { size } = statSync(path)
      appendFileSync(path, 'written by another program\n')
      repair()
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.ok(readFileSync(path, 'utf8').endsWith('written by another program\n'))
      truncateSync(path, size)
      await journal.append([line('after')])
      assert.deepEqual(
        rawLines(path).map((text) => JSON.parse(text).detail.text),
        ['line 1', 'line 2', 'line 3', 'after'],
      )
    })

    test('an altered earlier line blocks appends', async (t) => {
      const { path, journal, repair } = await unfinished(t)
      const content = readFileSync(path, 'utf8')
      writeFileSync(path, content.replace('line 3', 'line X'))
      repair()
      await assert.rejects(
        journal.append([line('lost')]),
        (error) => isServiceError(error) && error.detail.includes('the last line is not line 3'),
      )
      writeFileSync(path, content)
      await journal.append([line('after')])
      assert.equal(journal.head().seq, 4)
    })

    test('a replacement file is accepted only if it is an exact copy', async (t) => {
      const { path, journal, size, repair } = await unfinished(t)
      const content = readFileSync(path).subarray(0, size)
      rmSync(path)
      writeFileSync(path, content.toString().replace('line 1', 'line X'), { mode: 0o600 })
      repair()
      await assert.rejects(
        journal.append([line('lost')]),
        (error) => isServiceError(error) && error.detail.includes('the content of the journal has changed (line 1'),
      )
      writeFileSync(path, content)
      await journal.append([line('after')])
      assert.equal(journal.head().seq, 4)
    })
  })
})
