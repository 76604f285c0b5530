import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { describe, test } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { openJournal, verifyJournal } from '../src/index.ts'
import { rotatedPath } from '../src/rotated.ts'
import { appendEach, collect, fileSize, filesOf, given, numbered, openSmall, pathsOf, settle } from './files.ts'
import { isUnwritable, lines, newOptions, openFor, rawLines, textsOf } from './state.ts'

interface Raw {
  readonly seq: number
  readonly stage: string
  readonly prev: string
  readonly hash: string
}

const parsed = (text: string): Raw => JSON.parse(text) as Raw

describe('a journal in several files', () => {
  test('rotates a file only when it is larger than its limit', async (t) => {
    const { options } = await openSmall(t, 30)
    const paths = await pathsOf(options.path)
    assert.ok(paths.length > 4, `got ${paths.length} files`)
    for (const path of paths.slice(0, -1)) {
      const content = readFileSync(path)
      const closing = Buffer.byteLength(`${rawLines(path).at(-1)}\n`)
      const last = Buffer.byteLength(`${rawLines(path).at(-2)}\n`)
      assert.ok(content.length - closing > fileSize && content.length - closing - last <= fileSize, `${path}: ${content.length}`)
    }
    assert.ok(statSync(options.path).size <= fileSize)
  })

  test('has one file while that is within its limit', async (t) => {
    const options = { ...newOptions(t), fileSize: 1024 * 1024 }
    const journal = await openFor(t, options)
    await journal.append(lines(500))
    assert.deepEqual(await pathsOf(options.path), [options.path])
  })

  test('numbers its files, restricts them to the owner and leaves no other files', async (t) => {
    const { options } = await openSmall(t, 20)
    const paths = await pathsOf(options.path)
    const numbers = paths.slice(1).map((_, index) => rotatedPath(options.path, index + 1))
    assert.deepEqual(paths, [...numbers, options.path])
    for (const path of paths) assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(`${options.path}.next`, { throwIfNoEntry: false }), undefined)
  })

  test('ends each closed file with a checkpoint and begins the next one with another', async (t) => {
    const { options } = await openSmall(t, 20)
    const files = await filesOf(options.path)
    for (const [index, texts] of files.entries()) {
      if (index > 0) assert.equal(parsed(texts[0]!).stage, 'checkpoint')
      if (index < files.length - 1) assert.equal(parsed(texts.at(-1)!).stage, 'checkpoint')
    }
  })

  test('chains the first line of a file to the last line of the previous file', async (t) => {
    const { options, journal } = await openSmall(t, 20)
    const files = await filesOf(options.path)
    for (const [index, texts] of files.slice(1).entries()) {
      const [last, first] = [files[index]!.at(-1)!, texts[0]!]
      assert.deepEqual([parsed(first).seq, parsed(first).hash, parsed(first).prev], [parsed(last).seq + 1, sha256(last), parsed(last).hash])
    }
    assert.deepEqual(await verifyJournal({ ...options, known: [journal.head()] }), {
      ok: true,
      lines: files.flat().length,
      head: journal.head(),
    })
  })

  test('reports head and checkpoint of the new file', async (t) => {
    const { options, journal } = await openSmall(t, 0)
    while ((await pathsOf(options.path)).length === 1) {
      await journal.append(lines(1))
      await settle(journal)
    }
    const [first] = rawLines(options.path)
    assert.deepEqual(journal.head(), { seq: parsed(first!).seq, hash: sha256(first!) })
    assert.deepEqual(journal.checkpoint(), JSON.parse(first!).detail)
  })

  test('writes the lines of a call to one file, whatever their length', async (t) => {
    const options = { ...newOptions(t), fileSize }
    const journal = await openFor(t, options)
    const { lines: placed } = await journal.append(lines(40))
    assert.deepEqual(new Set(placed.map(({ file }) => file)), new Set([1]))
    await settle(journal)
    assert.equal(rawLines(rotatedPath(options.path, 1)).length, 41)
  })

  test('keeps the order of concurrent calls during rotations', async (t) => {
    const { options, journal } = await openSmall(t, 0)
    await Promise.all(Array.from({ length: 30 }, (_, call) => journal.append(lines(5, call * 10 + 1))))
    await settle(journal)
    await Promise.all(Array.from({ length: 30 }, (_, call) => journal.append(lines(5, call * 10 + 6))))
    await settle(journal)
    const found = given(await collect(journal.entriesAfter(0)))
    assert.deepEqual(
      found,
      [1, 6].flatMap((from) => Array.from({ length: 30 }, (_, call) => numbered(5, call * 10 + from)).flat()),
    )
    assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, true)
  })

  test('reports every line once with its location, including its own lines', async (t) => {
    const { options, journal, placed } = await openSmall(t, 30)
    const paths = await pathsOf(options.path)
    assert.deepEqual(
      placed.map(({ entry }) => entry.seq),
      Array.from({ length: placed.length }, (_, index) => index + 1),
    )
    for (const { file, start, length, entry } of placed) {
      const bytes = readFileSync(paths[file - 1]!).subarray(start, start + length + 1)
      assert.equal(bytes.toString(), `${JSON.stringify(entry)}\n`)
    }
    const [next] = (await journal.append(lines(1))).lines
    assert.equal(next?.entry.seq, placed.length + 1)
  })
})

describe('reading several files', () => {
  test('returns any range, forwards and backwards', async (t) => {
    const { journal, placed } = await openSmall(t, 40)
    const entries = placed.map(({ entry }) => entry)
    const all = await collect(journal.entriesAfter(0))
    assert.deepEqual(all.slice(0, entries.length), entries)
    const seq = fc.integer({ min: 0, max: all.length + 2 })
    await fc.assert(
      fc.asyncProperty(seq, fc.integer({ min: 1, max: 30 }), async (at, limit) => {
        assert.deepEqual(await collect(journal.entriesAfter(at)), all.slice(at))
        const older = all.filter((entry) => entry.seq < at).toReversed()
        assert.deepEqual(await journal.page({ limit, before: at }), older.slice(0, limit))
      }),
      { numRuns: 60 },
    )
    assert.deepEqual(await journal.page({ limit: 1000 }), all.toReversed())
  })

  test('returns the locations that append reported, also after a restart', async (t) => {
    const { options, journal, placed } = await openSmall(t, 30)
    assert.deepEqual((await collect(journal.linesAfter(7))).slice(0, placed.length - 7), placed.slice(7))
    await journal.close()
    const again = await openFor(t, options)
    assert.deepEqual((await collect(again.linesAfter(0))).slice(0, placed.length), placed)
  })

  test('returns entries by location in the requested order', async (t) => {
    const { journal, placed } = await openSmall(t, 30)
    const wanted = placed.toReversed().map(({ entry, ...position }) => ({ ...position, seq: entry.seq }))
    assert.deepEqual(
      await journal.entriesAt(wanted),
      placed.toReversed().map(({ entry }) => entry),
    )
  })

  test('omits entries that are not at their location', async (t) => {
    const { journal, placed } = await openSmall(t, 12)
    const { entry, ...position } = placed[0]!
    const right = { ...position, seq: entry.seq }
    const wrong = [
      { ...right, seq: 2 },
      { ...right, file: 99 },
      { ...right, file: 2 },
      { ...right, start: right.start + 1 },
      { ...right, length: right.length - 1 },
      { ...right, length: 1_000_000 },
    ]
    assert.deepEqual(await journal.entriesAt([...wrong, right, ...wrong]), [entry])
  })

  test('ends at the last line at the time of the call, even if the file is rotated during the read', async (t) => {
    const { options, journal } = await openSmall(t, 3)
    const reading = journal.entriesAfter(0)
    const before = await pathsOf(options.path)
    await appendEach(journal, numbered(20, 4))
    assert.notDeepEqual(await pathsOf(options.path), before)
    assert.deepEqual(textsOf(await collect(reading)), numbered(3))
  })
})

describe('a journal in several files that is opened again', () => {
  test('continues in its last file', async (t) => {
    const { options, journal } = await openSmall(t, 20)
    const count = (await pathsOf(options.path)).length
    const head = journal.head()
    await journal.close()
    const again = await openFor(t, options)
    assert.equal(again.head().seq, head.seq + 1)
    assert.equal((await pathsOf(options.path)).length, count)
    const { lines: placed } = await again.append(lines(1, 21))
    await settle(again)
    assert.equal(placed.at(-1)?.file, count)
    assert.deepEqual(given(await collect(again.entriesAfter(0))), numbered(21))
    assert.equal((await verifyJournal({ ...options, known: [again.head()] })).ok, true)
  })

  test('counts the lines of its last file since the checkpoint at the beginning', async (t) => {
    const options = newOptions(t)
    const first = await openFor(t, { ...options, fileSize })
    await first.append(lines(10))
    await settle(first)
    const second = await openFor(t, options)
    await second.append(lines(998))
    const third = await openFor(t, options)
    await third.append(lines(2))
    const stages = rawLines(options.path).map((text) => parsed(text).stage)
    assert.deepEqual([stages[0], stages.indexOf('checkpoint', 1)], ['checkpoint', 1001])
    // Lines that other processes wrote since are not signed.
    for (const journal of [first, second]) await assert.rejects(journal.append(lines(1)), isUnwritable)
  })

  test('rotates its last file when a smaller limit is set', async (t) => {
    const options = newOptions(t)
    const first = await openJournal(options)
    await first.append(lines(20))
    await first.close()
    const again = await openFor(t, { ...options, fileSize })
    await settle(again)
    assert.equal((await pathsOf(options.path)).length, 2)
    assert.equal((await verifyJournal({ ...options, known: [again.head()] })).ok, true)
  })
})
