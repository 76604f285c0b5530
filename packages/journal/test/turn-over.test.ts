// How a journal goes on in a new file, cut off at every step, and with every step failing.
import assert from 'node:assert/strict'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { start } from '@gatehouse/testkit/program'
import { type Head, openJournal, verifyJournal } from '../src/index.ts'
import { appendEach, collect, fileSize, given, numbered, pathsOf, settle } from './files.ts'
import { type Cut, cuts, type Moment, record, restore } from './power.ts'
import { lines, newDirectory, newOptions, openFor, optionsIn } from './state.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

interface Said {
  readonly head: Head
  readonly texts: readonly string[]
}

/** A journal through one turn-over, step by step. */
const recordTurn = async (t: TestContext, { forgetNames }: { forgetNames: boolean }): Promise<Moment<Said>[]> => {
  const options = { ...newOptions(t), fileSize }
  const journal = await openJournal(options)
  await appendEach(journal, numbered(3))
  let said: Said = { head: journal.head(), texts: numbered(3) }
  const moments = await record(t, { directory: dirname(options.path), said: () => said, forgetNames }, async () => {
    for (const text of numbered(full ? 20 : 5, 4)) {
      await appendEach(journal, [text])
      said = { head: journal.head(), texts: [...said.texts, text] }
    }
    await settle(journal)
  })
  assert.ok((await pathsOf(options.path)).length > 1)
  await journal.close()
  return moments
}

/** What must be true whatever the moment: what was answered stands, the journal opens, verifies and goes on into further files. */
const check = async (directory: string, cut: Cut, { head, texts }: Said): Promise<void> => {
  const options = { ...optionsIn(directory), fileSize }
  if (cut !== 'torn') assert.equal((await verifyJournal({ ...options, known: [head] })).ok, true)
  const journal = await openJournal(options)
  try {
    const more = numbered(6, 100)
    await appendEach(journal, more)
    await settle(journal)
    const found = given(await collect(journal.entriesAfter(0)))
    assert.deepEqual(found.slice(0, texts.length), texts)
    assert.deepEqual(found.slice(-more.length), more)
    const verdict = await verifyJournal({ ...options, known: [head] })
    assert.ok(verdict.ok, JSON.stringify(verdict))
    assert.deepEqual(verdict.head, journal.head())
    assert.ok(!existsSync(`${options.path}.next`))
  } finally {
    await journal.close()
  }
}

const play = async (t: TestContext, moments: readonly Moment<Said>[], among: readonly Cut[] = cuts): Promise<string[]> => {
  const failures: string[] = []
  const seen = new Set<string>()
  const root = newDirectory(t)
  for (const [index, { step, said, after }] of moments.entries()) {
    for (const cut of among) {
      const state = JSON.stringify([said.head, [...after[cut]].map(([name, bytes]) => [name, sha256(bytes)])])
      if (seen.has(state)) continue
      seen.add(state)
      const directory = join(root, `${index}-${cut}`)
      restore(directory, after[cut])
      await check(directory, cut, said).catch((error: unknown) => failures.push(`${cut} after ${index} (${step}): ${String(error)}`))
      rmSync(directory, { recursive: true })
    }
  }
  return failures
}

describe('going on in a new file', () => {
  test('a cut after any step loses nothing that was answered, and the journal goes on', { timeout: 600_000 }, async (t) => {
    const moments = await recordTurn(t, { forgetNames: false })
    t.diagnostic(`${moments.length} steps, ${cuts.length} cuts behind each: ${moments.map(({ step }) => step).join(' ')}`)
    assert.ok(moments.filter(({ step }) => step === 'rename').length >= 2)
    assert.deepEqual(await play(t, moments), [])
  })

  test('the same cuts notice a turn-over that does not sync names', async (t) => {
    const moments = await recordTurn(t, { forgetNames: true })
    assert.notDeepEqual(await play(t, moments.slice(-1), ['power']), [])
  })

  test('SIGKILL at any moment loses no acknowledged line', { timeout: 600_000 }, async (t) => {
    const directory = newDirectory(t)
    const options = { ...optionsIn(directory), fileSize }
    for (let round = 0; round < (full ? 25 : 3); round += 1) {
      const program = start(t, join(import.meta.dirname, 'fixtures', 'appender.ts'), { args: [directory, String(fileSize)] })
      const acknowledged: string[] = []
      for (let count = 1 + ((round * 13) % 60); count > 0; count -= 1) acknowledged.push(await program.line())
      await program.kill()
      const journal = await openJournal(options)
      const found = new Set((await collect(journal.linesAfter(0))).map(({ entry: { seq, hash } }) => `${seq} ${hash}`))
      await journal.close()
      for (const one of acknowledged) assert.ok(found.has(one), `line ${one} was acknowledged and is lost`)
      const verdict = await verifyJournal(options)
      assert.ok(verdict.ok, JSON.stringify(verdict))
    }
    assert.ok((await pathsOf(options.path)).length > 2)
  })

  test('a journal is verified while it goes on from file to file', async (t) => {
    const options = { ...newOptions(t), fileSize }
    const journal = await openFor(t, options)
    const writing = { done: false }
    const written = appendEach(journal, numbered(full ? 500 : 60)).finally(() => (writing.done = true))
    while (!writing.done) {
      const head = journal.head()
      const verdict = await verifyJournal({ ...options, known: [head] })
      assert.ok(verdict.ok && verdict.lines >= head.seq, JSON.stringify(verdict))
    }
    await written
  })

  test('a journal that is closed leaves its files at rest, and closes a full one when it is opened again', async (t) => {
    const options = newOptions(t)
    const { lines: placed } = await (await openFor(t, newOptions(t))).append(lines(2))
    // The checkpoint of the close takes the file beyond its size.
    const small = { ...options, fileSize: (placed.at(-1)?.start ?? 0) * 2 + 10 }
    const first = await openJournal(small)
    await first.append(lines(2))
    await settle(first)
    assert.deepEqual(await pathsOf(options.path), [options.path])
    await first.close()
    assert.ok(statSync(options.path).size > small.fileSize)
    const second = await openJournal(options)
    await second.append(lines(1, 2))
    await second.close()
    assert.deepEqual(await pathsOf(options.path), [options.path])
    const third = await openFor(t, small)
    await settle(third)
    assert.equal((await pathsOf(options.path)).length, 2)
    assert.equal((await verifyJournal({ ...options, known: [third.head()] })).ok, true)
  })

  test('what an earlier turn-over left unfinished is taken away', async (t) => {
    const options = { ...newOptions(t), fileSize }
    const first = await openJournal(options)
    await first.append(lines(2))
    await first.close()
    writeFileSync(`${options.path}.next`, 'half a li')
    await openFor(t, options)
    assert.ok(!existsSync(`${options.path}.next`))
  })
})
