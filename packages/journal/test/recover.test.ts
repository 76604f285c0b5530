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
  test('a torn last line is removed, saved in a file and recorded', async (t) => {
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

  test('a complete last line that is not an entry is removed too', async (t) => {
    const options = await written(t)
    appendFileSync(options.path, '{"seq":5}\n')
    await openFor(t, options)
    assert.equal(keptIn(options), '{"seq":5}\n')
    assert.deepEqual(stages(options), [...before, 'recovered'])
  })

  test('lines after a block that the disk lost are removed with it', async (t) => {
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

  test('each removed end is saved under another name', async (t) => {
    const options = await written(t)
    for (const n of [1, 2, 3]) {
      appendFileSync(options.path, `torn ${n}`)
      await (await openJournal(options)).close()
      assert.equal(keptIn(options, n), `torn ${n}`)
    }
  })

  test('a torn first line leaves an empty journal', async (t) => {
    const options = newOptions(t)
    writeFileSync(options.path, '{"seq":1,', { mode: 0o600 })
    const journal = await openFor(t, options)
    assert.deepEqual(stages(options), ['recovered'])
    assert.equal(journal.head().seq, 1)
  })

  test('a lost current file is created again after the closed ones and begins with a checkpoint', async (t) => {
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    const closed = (await filesOf(options.path)).slice(0, -1).flat().length
    rmSync(options.path)
    const again = await openFor(t, options)
    assert.deepEqual(stages(options), ['checkpoint'])
    assert.equal(again.head().seq, closed + 1)
    assert.equal(again.checkpoint()?.seq, closed)
    assert.deepEqual(await verifyJournal({ ...options, known: [again.head()] }), { ok: true, lines: closed + 1, head: again.head() })
    // Only a known head of the lost lines reveals the loss.
    assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, false)
  })

  test('times in a current file that is created again do not precede those of the closed files', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    rmSync(options.path)
    t.mock.timers.setTime(Date.parse('2026-11-20T11:00:00Z'))
    const again = await openFor(t, options)
    assert.equal((await again.page({ limit: 1 }))[0]?.time, '2026-11-20T12:00:00.000Z')
  })

  test('a torn first line of the current file is replaced by a checkpoint and a recovery line', async (t) => {
    const { options, journal } = await openSmall(t, 12)
    await journal.close()
    writeFileSync(options.path, '{"seq":')
    const again = await openFor(t, options)
    assert.deepEqual(stages(options), ['checkpoint', 'recovered'])
    assert.equal(keptIn(options), '{"seq":')
    assert.equal((await verifyJournal({ ...options, known: [again.head()] })).ok, true)
  })

  test('an intact journal is not modified', async (t) => {
    const options = await written(t)
    const content = readFileSync(options.path)
    const journal = await openFor(t, options)
    assert.deepEqual(readFileSync(options.path), content)
    assert.equal(journal.head().seq, 4)
    assert.ok(!existsSync(join(dirname(options.path), 'audit.torn-1')))
  })

  test('a file without a journal entry is refused and not modified', async (t) => {
    const options = newOptions(t)
    writeFileSync(options.path, 'dear diary\nnothing happened\n', { mode: 0o600 })
    await assert.rejects(
      openJournal(options),
      (error) => isRefusal(error) && error.exit === exits.configuration && error.detail.includes('not a journal'),
    )
    assert.equal(readFileSync(options.path, 'utf8'), 'dear diary\nnothing happened\n')
  })

  test('a symbolic link is refused', async (t) => {
    const options = newOptions(t)
    writeFileSync(`${options.path}.elsewhere`, '')
    symlinkSync(`${options.path}.elsewhere`, options.path)
    await assert.rejects(openJournal(options), (error) => isRefusal(error) && error.exit === exits.configuration)
  })

  test('a read-only disk is refused', { skip: noSmallDisk }, () =>
    onSmallDisk('64k', async (directory) => {
      const options = optionsIn(directory)
      await (await openJournal(options)).close()
      makeReadOnly(directory)
      await assert.rejects(openJournal(options), (error) => isRefusal(error) && error.exit === exits.noPermission)
    }),
  )

  test('another public key beside the journal is refused', async (t) => {
    const options = await written(t)
    await assert.rejects(
      openJournal({ ...options, seed: Buffer.alloc(32, 8) }),
      (error) => isRefusal(error) && error.detail.includes('public key'),
    )
  })
})
