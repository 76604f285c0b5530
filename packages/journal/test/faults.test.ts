import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { failSyncs, limitFiles, noLimiter, noTracer, type Program, start } from '@gatehouse/testkit/program'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { openJournal, openRecords, verifyJournal } from '../src/index.ts'
import { isUnwritable, line, newDirectory, optionsIn, rawLines } from './state.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

const startScribe = async (t: TestContext, flags: readonly string[] = []): Promise<{ program: Program; directory: string }> => {
  const directory = newDirectory(t)
  const program = start(t, join(import.meta.dirname, 'fixtures', 'scribe.ts'), {
    args: [directory],
    flags: flags.map((flag) => flag.replace('DIRECTORY', directory)),
  })
  assert.equal(await program.line(), 'ready')
  return { program, directory }
}

const texts = (directory: string): string[] => rawLines(join(directory, 'audit.jsonl')).map((text) => JSON.parse(text).detail.text)
const recorded = (directory: string): string[] => rawLines(join(directory, 'calls.jsonl')).map((text) => JSON.parse(text).text)

describe('disk faults', () => {
  test('lines and records are refused on a full disk and accepted again when there is space', { skip: noSmallDisk }, () =>
    onSmallDisk('256k', async (directory) => {
      const filler = join(directory, 'filler')
      const journal = await openJournal(optionsIn(directory))
      const records = await openRecords({ path: join(directory, 'calls.jsonl') })
      try {
        writeFileSync(filler, Buffer.alloc(150 * 1024))
        const acknowledged: string[] = []
        const fill = async (): Promise<never> => {
          const text = `${acknowledged.length} ${'x'.repeat(1500)}`
          await journal.append([line(text)])
          acknowledged.push(text)
          return fill()
        }
        await assert.rejects(fill(), isUnwritable)
        await assert.rejects(journal.append([line('still full '.repeat(500))]), isUnwritable)
        await assert.rejects(records.append({ text: 'x'.repeat(100_000) }), isUnwritable)
        assert.deepEqual(texts(directory), acknowledged)
        rmSync(filler)
        await journal.append([line('room again')])
        await records.append({ text: 'room again' })
        assert.deepEqual(texts(directory), [...acknowledged, 'room again'])
        assert.deepEqual(recorded(directory), ['room again'])
        assert.equal((await verifyJournal({ path: join(directory, 'audit.jsonl'), known: [journal.head()] })).ok, true)
      } finally {
        await journal.close()
        await records.close()
      }
    }),
  )

  test('a torn line on a full disk is removed when there is space to save it', { skip: noSmallDisk }, () =>
    onSmallDisk('128k', async (directory) => {
      const options = optionsIn(directory)
      const first = await openJournal(options)
      await first.append([line('one')])
      await first.close()
      const torn = '{"seq":3,'.repeat(2000)
      writeFileSync(options.path, `${readFileSync(options.path, 'utf8')}${torn}`)
      const filler = join(directory, 'filler')
      assert.throws(() => writeFileSync(filler, Buffer.alloc(128 * 1024)), { code: 'ENOSPC' })
      const journal = await openJournal(options)
      try {
        assert.equal(journal.head().seq, 2)
        await assert.rejects(journal.append([line('two')]), isUnwritable)
        rmSync(filler)
        await journal.append([line('two')])
        assert.equal(readFileSync(join(directory, 'audit.torn-1'), 'utf8'), torn)
        assert.deepEqual(texts(directory), ['one', undefined, undefined, 'two'])
      } finally {
        await journal.close()
      }
    }),
  )

  test('a write that fails midway leaves nothing of its batch', { skip: noLimiter }, async (t) => {
    const { program, directory } = await startScribe(t)
    assert.equal(await program.ask('append before'), 'ok')
    assert.equal(await program.ask('record before'), 'ok')
    const { size } = statSync(join(directory, 'audit.jsonl'))
    limitFiles(program.pid, String(size + 100))
    assert.equal(await program.ask('append lost'), 'audit-unwritable')
    assert.equal(statSync(join(directory, 'audit.jsonl')).size, size)
    limitFiles(program.pid, '5')
    assert.equal(await program.ask('append lost'), 'audit-unwritable')
    assert.equal(await program.ask('record lost'), 'audit-unwritable')
    limitFiles(program.pid, 'unlimited')
    assert.equal(await program.ask('append after'), 'ok')
    assert.equal(await program.ask('record after'), 'ok')
    assert.deepEqual(texts(directory), ['before', 'after'])
    assert.deepEqual(recorded(directory), ['before', 'after'])
    assert.equal((await verifyJournal({ path: join(directory, 'audit.jsonl') })).ok, true)
  })

  test('the lines of a failed sync are removed', { skip: noTracer }, async (t) => {
    const { program, directory } = await startScribe(t)
    assert.equal(await program.ask('append before'), 'ok')
    const mend = await failSyncs(program.pid)
    assert.equal(await program.ask('append lost'), 'audit-unwritable')
    assert.equal(await program.ask('append lost'), 'audit-unwritable')
    assert.deepEqual(texts(directory), ['before'])
    await mend()
    assert.equal(await program.ask('append after'), 'ok')
    assert.deepEqual(texts(directory), ['before', 'after'])
  })

  test('the journal works under the permission model of Node with access to its own directory only', async (t) => {
    const root = join(import.meta.dirname, '../../..')
    const flags = ['--permission', `--allow-fs-read=${root}`, '--allow-fs-read=DIRECTORY', '--allow-fs-write=DIRECTORY']
    const { program, directory } = await startScribe(t, flags)
    assert.equal(await program.ask('append one'), 'ok')
    assert.equal(await program.ask('record one'), 'ok')
    writeFileSync(join(directory, 'audit.jsonl.second'), '')
    assert.equal(await program.ask('append two'), 'ok')
    assert.deepEqual([texts(directory), recorded(directory)], [['one', 'two'], ['one']])
  })

  test('SIGKILL at any time loses no acknowledged line', async (t) => {
    const directory = newDirectory(t)
    const options = optionsIn(directory)
    for (let round = 0; round < (full ? 100 : 5); round += 1) {
      const program = start(t, join(import.meta.dirname, 'fixtures', 'appender.ts'), { args: [directory] })
      const acknowledged: string[] = []
      for (let count = 1 + ((round * 13) % 60); count > 0; count -= 1) acknowledged.push(await program.line())
      await program.kill()
      await (await openJournal(options)).close()
      const found = new Set(rawLines(options.path).map((text) => `${JSON.parse(text).seq} ${JSON.parse(text).hash}`))
      for (const one of acknowledged) assert.ok(found.has(one), `line ${one} was acknowledged but is lost`)
      const verdict = await verifyJournal(options)
      assert.ok(verdict.ok, JSON.stringify(verdict))
    }
  })
})
