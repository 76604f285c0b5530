import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { type Head, openJournal, type Verdict, verifyJournal } from '../src/index.ts'
import { type Lasting, lines, newDirectory, newOptions, optionsIn, rawLines } from './state.ts'
import { chained, entryOf, rechained } from './forge.ts'
import { judge as judgeFiles } from './written.ts'

interface Written {
  readonly texts: string[]
  readonly head: Head
}

const write = async (t: Lasting, count: number): Promise<Written & { path: string }> => {
  const options = newOptions(t)
  const journal = await openJournal(options)
  await journal.append(lines(count))
  await journal.close()
  return { path: options.path, texts: rawLines(options.path), head: journal.head() }
}

/** Verifies bytes in memory. */
const judge = (content: Buffer, head?: Head): Promise<Verdict> => judgeFiles([content], { head })

const joined = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(''))

describe('verification', () => {
  let small: Written
  before(async () => {
    small = await write({ after }, 12)
  })

  const assertNamed = (verdict: Verdict, line: number): void => {
    assert.ok(!verdict.ok, 'the tamper was missed')
    assert.equal(verdict.line, line, verdict.reason)
    assert.match(verdict.reason, new RegExp(`^line ${line}: `))
  }

  test('accepts what the journal wrote', async () => {
    assert.deepEqual(await judge(joined(small.texts), small.head), { ok: true, lines: 13, head: small.head })
  })

  test('checks an earlier head against a journal that has grown', async () => {
    const { texts } = small
    const earlier = (await judge(joined(texts.slice(0, 5)))) as { head: Head }
    assert.equal((await judge(joined(texts), earlier.head)).ok, true)
    assertNamed(await judge(joined(texts), { ...earlier.head, hash: '0'.repeat(64) }), 5)
  })

  test('reports the later of two lines where no head decides', async () => {
    const { texts } = small
    const altered = [...texts.slice(0, 4), texts[4]!.replace('line 5', 'line X'), texts[5]!]
    assert.deepEqual(await judge(joined(altered)), { ok: false, line: 6, reason: 'line 6: hash does not match line 5' })
    assertNamed(await judge(joined([...altered, ...texts.slice(6)])), 5)
  })

  test('reports an inserted line that matches the previous line', async () => {
    const bytes: Buffer[] = small.texts.map((text) => Buffer.from(`${text}\n`))
    const forged = chained({ ...entryOf(bytes[4]!), principal: 'mallory' }, bytes[3])
    const altered = Buffer.concat(bytes.toSpliced(4, 0, forged))
    assert.deepEqual(await judge(altered), { ok: false, line: 5, reason: 'line 5: inserted: line 6 has seq 5' })
    const doubled = Buffer.concat(bytes.toSpliced(4, 0, bytes[4]!))
    assert.deepEqual(await judge(doubled), { ok: false, line: 6, reason: 'line 6: expected seq 6, got 5' })
  })

  test('reports a last line without a newline', async () => {
    const content = joined(small.texts)
    const reason = 'line 13: it does not end with a newline'
    assert.deepEqual(await judge(content.subarray(0, -1), small.head), { ok: false, line: 13, reason })
  })

  test('reports the last of several lines that match each other but not the next line', async () => {
    const bytes = small.texts.map((text) => Buffer.from(`${text}\n`))
    const changed = rechained(bytes.with(4, Buffer.from(bytes[4]!.toString().replace('line 5', 'line X'))), 4)
    const altered = Buffer.concat([...changed.slice(0, 7), ...bytes.slice(7)])
    assert.deepEqual(await judge(altered), { ok: false, line: 7, reason: 'line 7: altered, the hash in line 8 does not match it' })
  })

  test('reports a first line that does not begin a chain', async () => {
    const bytes = small.texts.map((text) => Buffer.from(`${text}\n`))
    const first = Buffer.from(bytes[0]!.toString().replace(/"hash":"0/, '"hash":"f'))
    const altered = Buffer.concat(rechained([first, ...bytes.slice(1)], 1))
    assert.deepEqual(await judge(altered), { ok: false, line: 1, reason: 'line 1: hash does not match line 0' })
  })

  test('checks the position of the last line even without a head', async () => {
    const last = JSON.parse(small.texts.at(-1)!) as Record<string, unknown>
    for (const change of [{ seq: 99 }, { prev: 'f'.repeat(64) }, { hash: 'f'.repeat(64) }]) {
      assertNamed(await judge(joined([...small.texts.slice(0, -1), JSON.stringify({ ...last, ...change })])), 13)
    }
  })

  test('reads a file in blocks and checks the signature at its end', async (t) => {
    const { path, texts } = await write(t, 5000)
    const publicKeyPath = join(dirname(path), 'journal.pub')
    assert.equal((await verifyJournal({ path, publicKeyPath })).ok, true)
    for (const index of [0, 2777, texts.length - 2]) {
      const altered = texts.with(index, texts[index]!.replace('submit', 'reject'))
      writeFileSync(path, joined(altered))
      assertNamed(await verifyJournal({ path, publicKeyPath }), index + 1)
    }
  })

  test('follows the chain through rotated files', async (t) => {
    const { path, texts, head } = await write(t, 30)
    const directory = dirname(path)
    const file = (number: number): string => join(directory, `audit.${number}.jsonl`)
    for (let number = 1; number <= 10; number += 1) writeFileSync(file(number), joined(texts.slice(number * 2 - 2, number * 2)))
    writeFileSync(path, joined(texts.slice(20)))
    writeFileSync(join(directory, 'audit.torn-1'), 'torn')
    assert.deepEqual(await verifyJournal({ path, known: [head] }), { ok: true, lines: 31, head })
    writeFileSync(file(10), joined(texts.slice(19, 20)))
    assertNamed(await verifyJournal({ path, known: [head] }), 19)
    writeFileSync(file(10), joined([texts[18]!, texts[19]!.replace('line 20', 'line XX')]))
    assert.deepEqual(await verifyJournal({ path, known: [head] }), {
      ok: false,
      line: 20,
      reason: 'line 20: altered, the hash in line 21 does not match it (audit.10.jsonl)',
    })
    writeFileSync(file(10), joined(texts.slice(18, 20)))
    renameSync(file(4), file(11))
    assert.deepEqual(await verifyJournal({ path, known: [head] }), { ok: false, line: 7, reason: 'line 7: audit.4.jsonl is missing' })
    renameSync(file(11), file(4))
    rmSync(file(10))
    assert.deepEqual(await verifyJournal({ path }), { ok: false, line: 19, reason: 'line 19: expected seq 19, got 21 (audit.jsonl)' })
    writeFileSync(file(10), joined(texts.slice(18, 20)))
    writeFileSync(path, '')
    assert.deepEqual(await verifyJournal({ path }), { ok: false, line: 21, reason: 'line 21: audit.jsonl is empty' })
  })

  test('accepts an empty journal and rejects a missing one', async (t) => {
    const { path } = optionsIn(newDirectory(t))
    await assert.rejects(
      verifyJournal({ path }),
      (error) => isServiceError(error) && error.code === 'not-found' && error.detail.includes(path),
    )
    writeFileSync(path, '')
    assert.deepEqual(await verifyJournal({ path }), { ok: true, lines: 0, head: { seq: 0, hash: '0'.repeat(64) } })
    await assert.rejects(
      verifyJournal({ path, publicKeyPath: `${path}.pub` }),
      (error) => isServiceError(error) && error.code === 'not-found',
    )
  })
})
