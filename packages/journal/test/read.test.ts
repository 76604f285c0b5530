import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type AuditEntry, isServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { parseEntry, scanEntry } from '../src/entry.ts'
import type { Journal } from '../src/index.ts'
import { line, lines, newOptions, openFor, textsOf } from './state.ts'

const collect = async (journal: Journal, seq: number): Promise<AuditEntry[]> => {
  const entries: AuditEntry[] = []
  for await (const entry of journal.entriesAfter(seq)) entries.push(entry)
  return entries
}

describe('reading', () => {
  test('returns any range of the journal, forwards and backwards', async (t) => {
    const journal = await openFor(t, newOptions(t))
    // Lines of all lengths: some longer than the blocks in which the file is read.
    const texts = Array.from({ length: 900 }, (_, index) => `${index} ${'x'.repeat(index % 150 === 7 ? 200_000 : (index * 37) % 700)}`)
    const { entries } = await journal.append(texts.map(line))
    const seq = fc.integer({ min: 0, max: 905 })
    await fc.assert(
      fc.asyncProperty(seq, fc.integer({ min: 1, max: 40 }), async (at, limit) => {
        assert.deepEqual(await collect(journal, at), entries.slice(at))
        const older = entries.filter((entry) => entry.seq < at).toReversed()
        assert.deepEqual(await journal.page({ limit, before: at }), older.slice(0, limit))
      }),
      { numRuns: 60 },
    )
    assert.deepEqual(await journal.page({ limit: 3 }), entries.slice(-3).toReversed())
  })

  test('an empty journal has no entries', async (t) => {
    const journal = await openFor(t, newOptions(t))
    assert.deepEqual(await collect(journal, 0), [])
    assert.deepEqual(await journal.page({ limit: 5 }), [])
    assert.deepEqual(await journal.page({ limit: 5, before: 3 }), [])
  })

  test('a damaged line is an error that suggests svcctl audit verify', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const { lines: placed } = await journal.append(lines(3))
    writeFileSync(options.path, readFileSync(options.path, 'utf8').replace('"line 2"', "'line 2'"))
    const internal = (error: unknown): boolean =>
      isServiceError(error) && error.code === 'internal' && error.hint === 'run svcctl audit verify'
    await assert.rejects(collect(journal, 0), internal)
    await assert.rejects(journal.page({ limit: 3 }), internal)
    assert.deepEqual(textsOf(await journal.page({ limit: 1 })), ['line 3'])
    const places = placed.map(({ entry, ...position }) => ({ ...position, seq: entry.seq }))
    assert.deepEqual(textsOf(await journal.entriesAt(places)), ['line 1', 'line 3'])
  })

  test('ends at the last line at the time of the call', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    await journal.append(lines(2))
    const reading = journal.entriesAfter(0)
    appendFileSync(options.path, 'not acknowledged\n')
    const seen: AuditEntry[] = []
    for await (const entry of reading) seen.push(entry)
    assert.deepEqual(textsOf(seen), ['line 1', 'line 2'])
  })

  test('both parsers of a line accept the same input', () => {
    const hex = sha256('x')
    const whole = {
      seq: 1,
      time: '2026-11-20T12:53:01.123Z',
      stage: 'submit',
      edge: 'e',
      principal: 'p',
      by: 'b',
      changeID: 'c',
      kind: 'k',
      agentGroupID: 'a',
      detail: {},
      prev: hex,
      hash: hex,
    }
    const judge = (value: unknown): boolean => {
      const bytes = Buffer.from(JSON.stringify(value))
      const [parsed, scanned] = [parseEntry(bytes), scanEntry(bytes)]
      assert.equal(scanned !== undefined, parsed !== undefined, bytes.toString())
      return parsed !== undefined
    }
    assert.ok(judge(whole))
    const bytes = Buffer.from(JSON.stringify(whole))
    assert.deepEqual(scanEntry(bytes), parseEntry(bytes))
    const member = fc.constantFrom(...Object.keys(whole), 'other')
    fc.assert(
      fc.property(
        fc.dictionary(member, fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([]), fc.constant({})), { maxKeys: 2 }),
        (changed) => {
          judge({ ...whole, ...changed })
        },
      ),
    )
    for (const name of Object.keys(whole)) judge({ ...whole, [name]: undefined })
    for (const value of [null, [], 'text', 7]) assert.ok(!judge(value))
  })
})
