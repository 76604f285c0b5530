// Files that a journal has closed: none may be missing, exchanged or altered, found while it runs, when it is opened, and by
// `verifyJournal`. A journal that runs or opens looks at names, sizes and both ends; what stands in between only a walk along
// the whole chain shows, which is what `verifyJournal` is for.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { type Journal, type JournalOptions, openJournal, verifyJournal } from '../src/index.ts'
import { rotatedPath } from '../src/rotated.ts'
import { collect, given, numbered, openSmall, pathsOf } from './files.ts'
import { type Damage, exchange, linkToItself, missing, openedToOthers, secondName } from './damage.ts'
import { isUnwritable, line, lines, openFor, rawLines } from './state.ts'

interface Fault {
  readonly what: string
  /** What appending says, while running and after a restart. */
  readonly words: RegExp
  readonly atStart: RegExp | undefined
  /** Damages the second file. */
  readonly strike: Damage
}

const putBack = (path: string): (() => void) => {
  const content = readFileSync(path)
  return () => {
    rmSync(path, { force: true })
    writeFileSync(path, content, { mode: 0o600 })
  }
}

const faults: Fault[] = [
  {
    what: 'missing',
    words: /audit\.2\.jsonl: expected the journal, found no file/,
    atStart: /audit\.2\.jsonl: expected a closed file of the journal, found none/,
    strike: missing,
  },
  {
    what: 'exchanged for the one before it',
    words: /audit\.2\.jsonl: expected the journal, found another file/,
    atStart: /audit\.2\.jsonl: expected to begin behind line \d+ of the file before it, begins with line 1/,
    strike: (path) => exchange(path, readFileSync(path.replace('.2.', '.1.'))),
  },
  {
    what: 'exchanged for an altered copy',
    words: /audit\.2\.jsonl: expected the journal, found another file/,
    atStart: undefined,
    strike: (path) => exchange(path, Buffer.from(readFileSync(path, 'utf8').replace('"line ', '"LINE '))),
  },
  {
    what: 'shortened by its last line',
    words: /audit\.2\.jsonl: expected \d+ bytes, got/,
    atStart: /audit\.3\.jsonl: expected to begin behind line/,
    strike: (path) => {
      const repair = putBack(path)
      const content = readFileSync(path)
      truncateSync(path, content.lastIndexOf('\n', -2) + 1)
      return repair
    },
  },
  {
    what: 'shortened within a line',
    words: /audit\.2\.jsonl: expected \d+ bytes, got/,
    atStart: /audit\.2\.jsonl: expected a closed file of the journal, got another content/,
    strike: (path) => {
      const repair = putBack(path)
      truncateSync(path, readFileSync(path).length - 20)
      return repair
    },
  },
  {
    what: 'emptied',
    words: /audit\.2\.jsonl: expected \d+ bytes, got 0/,
    atStart: /audit\.2\.jsonl: expected a closed file of the journal, got another content/,
    strike: (path) => {
      const repair = putBack(path)
      truncateSync(path, 0)
      return repair
    },
  },
  {
    what: 'written to by somebody else',
    words: /audit\.2\.jsonl: expected \d+ bytes, got/,
    atStart: /audit\.3\.jsonl: expected to begin behind line/,
    strike: (path) => {
      const repair = putBack(path)
      appendFileSync(path, `${rawLines(path)[0]}\n`)
      return repair
    },
  },
  {
    what: 'given a second name',
    words: /audit\.2\.jsonl: expected one name for the file, got 2/,
    atStart: /audit\.2\.jsonl: expected one name for the file, got 2/,
    strike: secondName,
  },
  {
    what: 'opened to others',
    words: /audit\.2\.jsonl: expected mode 600, got 640/,
    atStart: /audit\.2\.jsonl: expected mode 600, got 640/,
    strike: openedToOthers(0o640),
  },
  {
    what: 'replaced by a link to itself',
    words: /audit\.2\.jsonl: expected the journal, found another file/,
    atStart: /audit\.2\.jsonl: expected a closed file of the journal, it cannot be opened/,
    strike: linkToItself,
  },
]

const rejection = async (append: () => Promise<unknown>): Promise<unknown> =>
  append().then(
    () => undefined,
    (error: unknown) => error,
  )

/** Each append looks at one of the closed files, in turn. */
const appendToAll = async (journal: Journal, options: JournalOptions): Promise<unknown> => {
  const { length } = await pathsOf(options.path)
  for (let count = 0; count < length; count += 1) {
    const error = await rejection(() => journal.append([]))
    if (error !== undefined) return error
  }
  return undefined
}

const says = (error: unknown, words: RegExp): void => {
  assert.ok(isUnwritable(error) && isServiceError(error), String(error))
  assert.match(error.detail, words)
}

const whole = async (journal: Journal, options: JournalOptions, count: number): Promise<void> => {
  assert.deepEqual(given(await collect(journal.entriesAfter(0))), numbered(count))
  assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, true)
}

describe('a closed file', () => {
  for (const { what, words, strike } of faults) {
    test(`${what} stops appending, which goes on by itself when it is put right`, async (t) => {
      const { options, journal } = await openSmall(t, 22)
      const head = journal.head()
      const repair = strike(rotatedPath(options.path, 2))
      says(await appendToAll(journal, options), words)
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.deepEqual(journal.head(), head)
      repair()
      await journal.append(lines(1, 23))
      await whole(journal, options, 23)
    })
  }

  for (const { what, atStart, strike } of faults) {
    if (atStart === undefined) continue
    test(`${what} when the journal is opened stops appending alone, which goes on by itself`, async (t) => {
      const { options, journal } = await openSmall(t, 22)
      await journal.close()
      const repair = strike(rotatedPath(options.path, 2))
      const again = await openFor(t, options)
      says(await rejection(() => again.append([line('lost')])), atStart)
      assert.deepEqual(again.head(), journal.head())
      assert.equal((await again.page({ limit: 1 }))[0]?.stage, 'checkpoint')
      repair()
      await again.append(lines(1, 23))
      await whole(again, options, 23)
    })
  }

  test('is accepted as a copy to the last byte, not as an altered one', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    const path = rotatedPath(options.path, 2)
    const content = readFileSync(path)
    rmSync(path)
    says(await appendToAll(journal, options), /found no file/)
    writeFileSync(path, content.toString().replace('"line ', '"LINE '), { mode: 0o600 })
    says(await rejection(() => journal.append([])), /audit\.2\.jsonl: expected the file as it was closed, got another content/)
    writeFileSync(path, content)
    await journal.append(lines(1, 23))
    await whole(journal, options, 23)
  })

  test('that the disk does not give stops appending, which goes on by itself', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    const path = rotatedPath(options.path, 2)
    chmodSync(path, 0o640)
    says(await appendToAll(journal, options), /mode 600/)
    chmodSync(path, 0o600)
    await using probe = await open(path)
    const reading = t.mock.method(Object.getPrototypeOf(probe), 'read', () => Promise.reject(new Error('EIO: i/o error')))
    says(await rejection(() => journal.append([])), /the closed files of the journal cannot be read/)
    reading.mock.restore()
    await journal.append(lines(1, 23))
    await whole(journal, options, 23)
  })

  test('is read anew when it was put right, whatever was read meanwhile', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    await journal.close()
    const again = await openFor(t, options)
    const altered = readFileSync(rotatedPath(options.path, 2), 'utf8').replaceAll('"line ', '"LINE ')
    const repair = exchange(rotatedPath(options.path, 2), Buffer.from(altered))
    assert.notDeepEqual(given(await collect(again.entriesAfter(0))), numbered(22))
    says(await appendToAll(again, options), /found another file/)
    repair()
    await again.append([])
    assert.deepEqual(given(await collect(again.entriesAfter(0))), numbered(22))
  })

  test('is missed at the very beginning and right before the present file', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    await journal.close()
    const count = (await pathsOf(options.path)).length - 1
    for (const [number, words] of [
      [1, /audit\.1\.jsonl: expected a closed file of the journal, found none/],
      [count, /audit\.jsonl: expected to begin behind line \d+ of the file before it/],
    ] as const) {
      const path = rotatedPath(options.path, number)
      renameSync(path, `${path}.away`)
      const again = await openJournal(options)
      says(await rejection(() => again.append([])), words)
      await again.close()
      renameSync(`${path}.away`, path)
    }
  })

  test('is told by its number from what only looks like one', async (t) => {
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    const strangers = [
      'audit.01.jsonl',
      'audit.0.jsonl',
      'audit.x.jsonl',
      'audit.7.json',
      'audit.torn-1',
      'other.9.jsonl',
      'xaudit.9.jsonl',
    ]
    for (const name of strangers) copyFileSync(options.path, join(dirname(options.path), name))
    const again = await openFor(t, options)
    await again.append(lines(1, 13))
    await whole(again, options, 13)
  })
})
