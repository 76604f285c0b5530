// Closed journal files that are missing, replaced or altered are noticed while the journal runs, when it is opened, and by
// `verifyJournal`. Running and opening check names, sizes and both ends; only `verifyJournal` checks the lines in between.
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
  /** The error of an append, while running and after a restart. */
  readonly pattern: RegExp
  readonly atStart: RegExp | undefined
  /** Damages the second file of the journal. */
  readonly damage: Damage
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
    pattern: /audit\.2\.jsonl: the journal file is missing/,
    atStart: /audit\.2\.jsonl: the closed journal file is missing/,
    damage: missing,
  },
  {
    what: 'replaced by the previous file',
    pattern: /audit\.2\.jsonl: another file has replaced the journal/,
    atStart: /audit\.2\.jsonl: the file begins with line 1 and does not follow line \d+/,
    damage: (path) => exchange(path, readFileSync(path.replace('.2.', '.1.'))),
  },
  {
    what: 'replaced by an altered copy',
    pattern: /audit\.2\.jsonl: another file has replaced the journal/,
    atStart: undefined,
    damage: (path) => exchange(path, Buffer.from(readFileSync(path, 'utf8').replace('"line ', '"LINE '))),
  },
  {
    what: 'shortened by its last line',
    pattern: /audit\.2\.jsonl: expected \d+ bytes, got/,
    atStart: /audit\.3\.jsonl: the file begins with line \d+ and does not follow line/,
    damage: (path) => {
      const repair = putBack(path)
      const content = readFileSync(path)
      truncateSync(path, content.lastIndexOf('\n', -2) + 1)
      return repair
    },
  },
  {
    what: 'shortened within a line',
    pattern: /audit\.2\.jsonl: expected \d+ bytes, got/,
    atStart: /audit\.2\.jsonl: not a closed journal file/,
    damage: (path) => {
      const repair = putBack(path)
      truncateSync(path, readFileSync(path).length - 20)
      return repair
    },
  },
  {
    what: 'emptied',
    pattern: /audit\.2\.jsonl: expected \d+ bytes, got 0/,
    atStart: /audit\.2\.jsonl: not a closed journal file/,
    damage: (path) => {
      const repair = putBack(path)
      truncateSync(path, 0)
      return repair
    },
  },
  {
    what: 'written by another program',
    pattern: /audit\.2\.jsonl: expected \d+ bytes, got/,
    atStart: /audit\.3\.jsonl: the file begins with line \d+ and does not follow line/,
    damage: (path) => {
      const repair = putBack(path)
      appendFileSync(path, `${rawLines(path)[0]}\n`)
      return repair
    },
  },
  {
    what: 'linked under a second name',
    pattern: /audit\.2\.jsonl: the file has 2 names, expected one/,
    atStart: /audit\.2\.jsonl: the file has 2 names, expected one/,
    damage: secondName,
  },
  {
    what: 'made accessible to others',
    pattern: /audit\.2\.jsonl: expected mode 600, got 640/,
    atStart: /audit\.2\.jsonl: expected mode 600, got 640/,
    damage: openedToOthers(0o640),
  },
  {
    what: 'replaced by a link to itself',
    pattern: /audit\.2\.jsonl: another file has replaced the journal/,
    atStart: /audit\.2\.jsonl: cannot open the closed journal file/,
    damage: linkToItself,
  },
]

const rejection = async (append: () => Promise<unknown>): Promise<unknown> =>
  append().then(
    () => undefined,
    (error: unknown) => error,
  )

/** Each append checks one of the closed files, in rotation. */
const appendToAll = async (journal: Journal, options: JournalOptions): Promise<unknown> => {
  const { length } = await pathsOf(options.path)
  for (let count = 0; count < length; count += 1) {
    const error = await rejection(() => journal.append([]))
    if (error !== undefined) return error
  }
  return undefined
}

const says = (error: unknown, pattern: RegExp): void => {
  assert.ok(isUnwritable(error) && isServiceError(error), String(error))
  assert.match(error.detail, pattern)
}

const whole = async (journal: Journal, options: JournalOptions, count: number): Promise<void> => {
  assert.deepEqual(given(await collect(journal.entriesAfter(0))), numbered(count))
  assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, true)
}

describe('a closed file', () => {
  for (const { what, pattern, damage } of faults) {
    test(`${what} blocks appends until it is repaired`, async (t) => {
      const { options, journal } = await openSmall(t, 22)
      const head = journal.head()
      const repair = damage(rotatedPath(options.path, 2))
      says(await appendToAll(journal, options), pattern)
      await assert.rejects(journal.append([line('lost')]), isUnwritable)
      assert.deepEqual(journal.head(), head)
      repair()
      await journal.append(lines(1, 23))
      await whole(journal, options, 23)
    })
  }

  for (const { what, atStart, damage } of faults) {
    if (atStart === undefined) continue
    test(`${what} before the journal is opened blocks only appends, until it is repaired`, async (t) => {
      const { options, journal } = await openSmall(t, 22)
      await journal.close()
      const repair = damage(rotatedPath(options.path, 2))
      const again = await openFor(t, options)
      says(await rejection(() => again.append([line('lost')])), atStart)
      assert.deepEqual(again.head(), journal.head())
      assert.equal((await again.page({ limit: 1 }))[0]?.stage, 'checkpoint')
      repair()
      await again.append(lines(1, 23))
      await whole(again, options, 23)
    })
  }

  test('is accepted as an exact copy, not as an altered one', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    const path = rotatedPath(options.path, 2)
    const content = readFileSync(path)
    rmSync(path)
    says(await appendToAll(journal, options), /file is missing/)
    writeFileSync(path, content.toString().replace('"line ', '"LINE '), { mode: 0o600 })
    says(await rejection(() => journal.append([])), /audit\.2\.jsonl: the content has changed since the file was closed/)
    writeFileSync(path, content)
    await journal.append(lines(1, 23))
    await whole(journal, options, 23)
  })

  test('that cannot be read blocks appends until it can be read', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    const path = rotatedPath(options.path, 2)
    chmodSync(path, 0o640)
    says(await appendToAll(journal, options), /mode 600/)
    chmodSync(path, 0o600)
    await using probe = await open(path)
    const reading = t.mock.method(Object.getPrototypeOf(probe), 'read', () => Promise.reject(new Error('EIO: i/o error')))
    says(await rejection(() => journal.append([])), /cannot read the closed journal files/)
    reading.mock.restore()
    await journal.append(lines(1, 23))
    await whole(journal, options, 23)
  })

  test('is read again after it was repaired', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    await journal.close()
    const again = await openFor(t, options)
    const altered = readFileSync(rotatedPath(options.path, 2), 'utf8').replaceAll('"line ', '"LINE ')
    const repair = exchange(rotatedPath(options.path, 2), Buffer.from(altered))
    assert.notDeepEqual(given(await collect(again.entriesAfter(0))), numbered(22))
    says(await appendToAll(again, options), /another file has replaced the journal/)
    repair()
    await again.append([])
    assert.deepEqual(given(await collect(again.entriesAfter(0))), numbered(22))
  })

  test('is noticed as missing both at the beginning and right before the current file', async (t) => {
    const { options, journal } = await openSmall(t, 22)
    await journal.close()
    const count = (await pathsOf(options.path)).length - 1
    for (const [number, pattern] of [
      [1, /audit\.1\.jsonl: the closed journal file is missing/],
      [count, /audit\.jsonl: the file begins with line \d+ and does not follow line/],
    ] as const) {
      const path = rotatedPath(options.path, number)
      renameSync(path, `${path}.away`)
      const again = await openJournal(options)
      says(await rejection(() => again.append([])), pattern)
      await again.close()
      renameSync(`${path}.away`, path)
    }
  })

  test('is distinguished by its number from files with similar names', async (t) => {
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
