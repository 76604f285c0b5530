// Rotation with a crash after every step.
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

/** A journal during one rotation, step by step. */
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

/** Must hold after a crash at any step: acknowledged lines remain, and the journal opens, verifies and rotates again. */
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

describe('rotation', () => {
  test('a crash after any step loses no acknowledged line, and the journal continues', { timeout: 600_000 }, async (t) => {
    const moments = await recordTurn(t, { forgetNames: false })
    t.diagnostic(`${moments.length} steps, ${cuts.length} crashes after each: ${moments.map(({ step }) => step).join(' ')}`)
    assert.ok(moments.filter(({ step }) => step === 'rename').length >= 2)
    assert.deepEqual(await play(t, moments), [])
  })

  test('the same crashes reveal a rotation that does not sync names', async (t) => {
    const moments = await recordTurn(t, { forgetNames: true })
    assert.notDeepEqual(await play(t, moments.slice(-1), ['power']), [])
  })

  test('SIGKILL at any time loses no acknowledged line', { timeout: 600_000 }, async (t) => {
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
      for (const one of acknowledged) assert.ok(found.has(one), `line ${one} was acknowledged but is lost`)
      const verdict = await verifyJournal(options)
      assert.ok(verdict.ok, JSON.stringify(verdict))
    }
    assert.ok((await pathsOf(options.path)).length > 2)
  })

  test('a journal can be verified while it rotates', async (t) => {
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

  test('a closing journal does not rotate, and a full file is rotated after the next open', async (t) => {
    const options = newOptions(t)
    const { lines: placed } = await (await openFor(t, newOptions(t))).append(lines(2))
    // The checkpoint at close takes the file beyond its limit.
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

  test('the rest of an unfinished rotation is removed', async (t) => {
    const options = { ...newOptions(t), fileSize }
    const first = await openJournal(options)
    await first.append(lines(2))
    await first.close()
    writeFileSync(`${options.path}.next`, 'half a li')
    await openFor(t, options)
    assert.ok(!existsSync(`${options.path}.next`))
  })
})
