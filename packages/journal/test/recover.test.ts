import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { type JournalOptions, openJournal, verifyJournal } from '../src/index.ts'
import { filesOf, openSmall } from './files.ts'
import { makeReadOnly, noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { lines, newOptions, openFor, optionsIn, rawLines } from './state.ts'

/** A closed journal of three lines and a checkpoint. */
const written = async (t: TestContext): Promise<JournalOptions> => {
  const options = newOptions(t)
  const journal = await openJournal(options)
  await journal.append(lines(3))
  await journal.close()
  return options
}

const keptIn = (options: JournalOptions, n = 1): string => readFileSync(join(dirname(options.path), `audit.torn-${n}`), 'utf8')

const stages = (options: JournalOptions): string[] => rawLines(options.path).map((text) => JSON.parse(text).stage)

const before = ['submit', 'submit', 'submit', 'checkpoint']

describe('a journal after a crash', () => {
  test('a torn last line is cut off, kept aside and journaled', async (t) => {
    const options = await written(t)
    const torn = '{"seq":5,"time":"2026-11-20T12'
    appendFileSync(options.path, torn)
    const journal = await openFor(t, options)
    assert.equal(keptIn(options), torn)
    assert.deepEqual(stages(options), [...before, 'recovered'])
    const [entry] = await journal.page({ limit: 1 })
    assert.deepEqual([entry?.stage, entry?.detail], ['recovered', { kept: 'audit.torn-1' }])
    assert.deepEqual(await verifyJournal(options), { ok: true, lines: 5, head: journal.head() })
  })

  test('a whole last line that is no entry is cut off too', async (t) => {
    const options = await written(t)
    appendFileSync(options.path, '{"seq":5}\n')
    await openFor(t, options)
    assert.equal(keptIn(options), '{"seq":5}\n')
    assert.deepEqual(stages(options), [...before, 'recovered'])
  })

  test('lines behind a block that the disk lost go with it', async (t) => {
    const options = await written(t)
    const journal = await openJournal(options)
    await journal.append(lines(3, 4))
    await journal.close()
    const all = rawLines(options.path)
    const lost = [...all.slice(0, 5), '\0'.repeat(all[5]!.length), ...all.slice(6)].join('\n')
    writeFileSync(options.path, `${lost}\n`)
    const recovered = await openFor(t, options)
    assert.deepEqual(stages(options), [...before, 'submit', 'recovered'])
    assert.equal(keptIn(options), `${lost}\n`.split('\n').slice(5).join('\n'))
    assert.deepEqual(await verifyJournal(options), { ok: true, lines: 6, head: recovered.head() })
  })

  test('each time something is cut off it is kept under another name', async (t) => {
    const options = await written(t)
    for (const n of [1, 2, 3]) {
      appendFileSync(options.path, `torn ${n}`)
      await (await openJournal(options)).close()
      assert.equal(keptIn(options, n), `torn ${n}`)
    }
  })

  test('a first line that was torn leaves an empty journal', async (t) => {
    const options = newOptions(t)
    writeFileSync(options.path, '{"seq":1,', { mode: 0o600 })
    const journal = await openFor(t, options)
    assert.deepEqual(stages(options), ['recovered'])
    assert.equal(journal.head().seq, 1)
  })

  test('a present file that is lost is begun anew behind the closed ones, with a checkpoint', async (t) => {
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    const closed = (await filesOf(options.path)).slice(0, -1).flat().length
    rmSync(options.path)
    const again = await openFor(t, options)
    assert.deepEqual(stages(options), ['checkpoint'])
    assert.equal(again.head().seq, closed + 1)
    assert.equal(again.checkpoint()?.seq, closed)
    assert.deepEqual(await verifyJournal({ ...options, known: [again.head()] }), { ok: true, lines: closed + 1, head: again.head() })
    // Only who has kept a head of what was lost can tell.
    assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, false)
  })

  test('a present file that is begun anew has no time before that of the closed ones', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    rmSync(options.path)
    t.mock.timers.setTime(Date.parse('2026-11-20T11:00:00Z'))
    const again = await openFor(t, options)
    assert.equal((await again.page({ limit: 1 }))[0]?.time, '2026-11-20T12:00:00.000Z')
  })

  test('a first line of a present file that was torn leaves a checkpoint and the note', async (t) => {
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    writeFileSync(options.path, '{"seq":')
    const again = await openFor(t, options)
    assert.deepEqual(stages(options), ['checkpoint', 'recovered'])
    assert.equal(keptIn(options), '{"seq":')
    assert.equal((await verifyJournal({ ...options, known: [again.head()] })).ok, true)
  })

  test('a whole journal is left as it is', async (t) => {
    const options = await written(t)
    const content = readFileSync(options.path)
    const journal = await openFor(t, options)
    assert.deepEqual(readFileSync(options.path), content)
    assert.equal(journal.head().seq, 4)
    assert.ok(!existsSync(join(dirname(options.path), 'audit.torn-1')))
  })

  test('refuses a file without a line of a journal and leaves it alone', async (t) => {
    const options = newOptions(t)
    writeFileSync(options.path, 'dear diary\nnothing happened\n', { mode: 0o600 })
    await assert.rejects(
      openJournal(options),
      (error) => isRefusal(error) && error.exit === exits.configuration && error.detail.includes('expected a journal'),
    )
    assert.equal(readFileSync(options.path, 'utf8'), 'dear diary\nnothing happened\n')
  })

  test('refuses a link in place of the file', async (t) => {
    const options = newOptions(t)
    writeFileSync(`${options.path}.elsewhere`, '')
    symlinkSync(`${options.path}.elsewhere`, options.path)
    await assert.rejects(openJournal(options), (error) => isRefusal(error) && error.exit === exits.configuration)
  })

  test('refuses a disk that cannot be written', { skip: noSmallDisk }, () =>
    onSmallDisk('64k', async (directory) => {
      const options = optionsIn(directory)
      await (await openJournal(options)).close()
      makeReadOnly(directory)
      await assert.rejects(openJournal(options), (error) => isRefusal(error) && error.exit === exits.noPermission)
    }),
  )

  test('refuses another public key beside the journal', async (t) => {
    const options = await written(t)
    await assert.rejects(
      openJournal({ ...options, seed: Buffer.alloc(32, 8) }),
      (error) => isRefusal(error) && error.detail.includes('public key'),
    )
  })
})
