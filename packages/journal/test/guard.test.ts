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
  readonly words: RegExp
  /** Damages the file. */
  readonly strike: Damage
}

const faults: Fault[] = [
  {
    what: 'deleted',
    words: /found no file/,
    strike: missing,
  },
  {
    what: 'deleted for good and copied back',
    words: /found no file/,
    strike: (path) => {
      const content = readFileSync(path)
      rmSync(path)
      return () => writeFileSync(path, content, { mode: 0o600 })
    },
  },
  { what: 'replaced by an empty one', words: /another file/, strike: (path) => exchange(path, Buffer.alloc(0)) },
  {
    what: 'replaced by an altered copy of the same size',
    words: /another file/,
    strike: (path) => exchange(path, Buffer.from(readFileSync(path, 'utf8').replace('line 2', 'line X'))),
  },
  {
    what: 'replaced by a link to itself',
    words: /another file/,
    strike: linkToItself,
  },
  {
    what: 'replaced by a directory',
    words: /another file/,
    strike: (path) => {
      renameSync(path, `${path}.away`)
      mkdirSync(path)
      return () => {
        rmSync(path, { recursive: true })
        renameSync(`${path}.away`, path)
      }
    },
  },
  {
    what: 'given a second name',
    words: /one name for the file, got 2/,
    strike: secondName,
  },
  {
    what: 'opened to others',
    words: /mode 600, got 644/,
    strike: openedToOthers(0o644),
  },
  {
    what: 'written to by somebody else',
    words: /bytes, got/,
    strike: (path) => {
      const { length } = readFileSync(path)
      appendFileSync(path, 'x\n')
      return () => truncateSync(path, length)
    },
  },
  {
    what: 'cut',
    words: /bytes, got/,
    strike: (path) => {
      const content = readFileSync(path)
      truncateSync(path, content.length - 5)
      return () => writeFileSync(path, content)
    },
  },
  {
    what: 'taken away with its directory',
    words: /found no file/,
    strike: (path) => {
      renameSync(dirname(path), `${dirname(path)}.away`)
      return () => renameSync(`${dirname(path)}.away`, dirname(path))
    },
  },
]

describe('a file that is not what it must be', () => {
  for (const { what, words, strike } of faults) {
    test(`${what} stops appending, which goes on by itself when it is put right`, async (t) => {
      const options = newOptions(t)
      const journal = await openFor(t, options)
      await journal.append(lines(3))
      const head = journal.head()
      const repair = strike(options.path)
      await assert.rejects(journal.append([line('lost')]), (error) => isServiceError(error) && words.test(error.detail))
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

  test('an altered byte under the same size keeps it stopped after any other fault', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    await journal.append(lines(3))
    const content = readFileSync(options.path, 'utf8')
    chmodSync(options.path, 0o640)
    await assert.rejects(journal.append(lines(1)), isUnwritable)
    writeFileSync(options.path, content.replace('line 2', 'line X'))
    chmodSync(options.path, 0o600)
    await assert.rejects(journal.append(lines(1)), (error) => isServiceError(error) && error.detail.includes('another content (line 2'))
    writeFileSync(options.path, content)
    await journal.append(lines(1, 4))
    assert.equal(journal.head().seq, 4)
  })

  test('a journal that was opened wide can be read, and written once its mode is right', async (t) => {
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

  describe('behind a sync that failed', () => {
    /** The bytes of the line that failed stand at the end, since they cannot be taken back either. */
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

    test('nothing but what the journal wrote itself is taken back', async (t) => {
      const { path, journal, repair } = await unfinished(t)
      const { size } = statSync(path)
      appendFileSync(path, 'written by somebody else\n')
      repair()
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.ok(readFileSync(path, 'utf8').endsWith('written by somebody else\n'))
      truncateSync(path, size)
      await journal.append([line('after')])
      assert.deepEqual(
        rawLines(path).map((text) => JSON.parse(text).detail.text),
        ['line 1', 'line 2', 'line 3', 'after'],
      )
    })

    test('a line before it that was altered meanwhile stops appending', async (t) => {
      const { path, journal, repair } = await unfinished(t)
      const content = readFileSync(path, 'utf8')
      writeFileSync(path, content.replace('line 3', 'line X'))
      repair()
      await assert.rejects(
        journal.append([line('lost')]),
        (error) => isServiceError(error) && error.detail.includes('expected line 3 at the end'),
      )
      writeFileSync(path, content)
      await journal.append([line('after')])
      assert.equal(journal.head().seq, 4)
    })

    test('another file in its place is taken for the journal only if it is the same to the last byte', async (t) => {
      const { path, journal, size, repair } = await unfinished(t)
      const content = readFileSync(path).subarray(0, size)
      rmSync(path)
      writeFileSync(path, content.toString().replace('line 1', 'line X'), { mode: 0o600 })
      repair()
      await assert.rejects(
        journal.append([line('lost')]),
        (error) => isServiceError(error) && error.detail.includes('another content (line 1'),
      )
      writeFileSync(path, content)
      await journal.append([line('after')])
      assert.equal(journal.head().seq, 4)
    })
  })
})
