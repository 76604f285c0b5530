import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { verifyJournal } from '../src/index.ts'
import { isUnwritable, line, lines, newOptions, openFor, rawLines } from './state.ts'

interface Fault {
  readonly what: string
  readonly words: RegExp
  /** Breaks the file and gives what puts it right. */
  readonly strike: (path: string) => () => void
}

const swap = (path: string, content: Buffer): (() => void) => {
  renameSync(path, `${path}.away`)
  writeFileSync(path, content, { mode: 0o600 })
  return () => renameSync(`${path}.away`, path)
}

const faults: Fault[] = [
  {
    what: 'deleted',
    words: /found no file/,
    strike: (path) => {
      renameSync(path, `${path}.away`)
      return () => renameSync(`${path}.away`, path)
    },
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
  { what: 'replaced by an empty one', words: /another file/, strike: (path) => swap(path, Buffer.alloc(0)) },
  {
    what: 'replaced by an altered copy of the same size',
    words: /another file/,
    strike: (path) => swap(path, Buffer.from(readFileSync(path, 'utf8').replace('line 2', 'line X'))),
  },
  {
    what: 'replaced by a link to itself',
    words: /another file/,
    strike: (path) => {
      renameSync(path, `${path}.away`)
      symlinkSync(`${path}.away`, path)
      return () => renameSync(`${path}.away`, path)
    },
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
    strike: (path) => {
      linkSync(path, `${path}.second`)
      return () => rmSync(`${path}.second`)
    },
  },
  {
    what: 'opened to others',
    words: /mode 600, got 644/,
    strike: (path) => {
      chmodSync(path, 0o644)
      return () => chmodSync(path, 0o600)
    },
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
      const mend = strike(options.path)
      await assert.rejects(journal.append([line('lost')]), (error) => isServiceError(error) && words.test(error.detail))
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.deepEqual(journal.head(), head)
      mend()
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
})
