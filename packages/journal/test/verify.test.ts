import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import fc from 'fast-check'
import { type Head, openJournal, type Verdict, verifyJournal } from '../src/index.ts'
import { inspect } from '../src/inspect.ts'
import { Inspector } from '../src/inspector.ts'
import { genesis } from '../src/chain.ts'
import { type Lasting, lines, newDirectory, newOptions, optionsIn, rawLines } from './state.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const numRuns = full ? 100_000 : 3000

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

/** What `verifyJournal` does with these bytes, without a file. */
const judge = async (content: Buffer, expected?: Head): Promise<Verdict> => {
  const inspector = new Inspector({ start: genesis, expected })
  const stream = (async function* () {
    yield content
  })()
  const fault = (await inspect(stream, inspector)) ?? inspector.end()
  return fault === undefined ? { ok: true, lines: inspector.lines, head: inspector.head } : { ok: false, ...fault }
}

const joined = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(''))

describe('verifying', () => {
  let small: Written
  before(async () => {
    small = await write({ after }, 12)
  })
  const at = fc.nat({ max: 12 })

  const assertNamed = (verdict: Verdict, line: number): void => {
    assert.ok(!verdict.ok, 'the tamper was missed')
    assert.equal(verdict.line, line, verdict.reason)
    assert.match(verdict.reason, new RegExp(`^line ${line}: `))
  }

  test('passes what the journal wrote', async () => {
    assert.deepEqual(await judge(joined(small.texts), small.head), { ok: true, lines: 13, head: small.head })
  })

  test('names the line in which any bit was flipped', () =>
    fc.assert(
      fc.asyncProperty(at, fc.nat(), fc.nat({ max: 7 }), async (index, offset, bit) => {
        const content = joined(small.texts)
        const start = joined(small.texts.slice(0, index)).length
        const position = start + (offset % (small.texts[index]!.length + 1))
        content[position]! ^= 1 << bit
        assertNamed(await judge(content, small.head), index + 1)
      }),
      { numRuns },
    ))

  test('names the place where a line was taken out, doubled or swapped with the next', () =>
    fc.assert(
      fc.asyncProperty(at, fc.constantFrom('delete', 'double', 'swap'), async (index, how) => {
        const { texts, head } = small
        const [one, next] = [texts[index]!, texts[index + 1]]
        if (how === 'swap' && next === undefined) return
        const middle = { delete: [], double: [one, one], swap: [next!, one] }[how]
        const altered = [...texts.slice(0, index), ...middle, ...texts.slice(how === 'swap' ? index + 2 : index + 1)]
        assertNamed(await judge(joined(altered), head), how === 'double' ? index + 2 : index + 1)
      }),
      { numRuns: 200 },
    ))

  test('names the first line missing at the end, given a head', () =>
    fc.assert(
      fc.asyncProperty(at, async (index) => {
        assertNamed(await judge(joined(small.texts.slice(0, index)), small.head), index + 1)
      }),
      { numRuns: 30 },
    ))

  test('names a line that was cut short', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), async (length) => {
        const whole = joined(small.texts)
        const content = whole.subarray(0, length % whole.length)
        const lineNumber = content.toString().split('\n').length
        assertNamed(await judge(content, small.head), lineNumber)
      }),
      { numRuns: 300 },
    ))

  test('holds an earlier head against a journal that went on', async () => {
    const { texts } = small
    const earlier = (await judge(joined(texts.slice(0, 5)))) as { head: Head }
    assert.equal((await judge(joined(texts), earlier.head)).ok, true)
    assertNamed(await judge(joined(texts), { ...earlier.head, hash: '0'.repeat(64) }), 5)
  })

  test('without a head blames the later of two lines where nothing else can tell', async () => {
    const { texts } = small
    const altered = [...texts.slice(0, 4), texts[4]!.replace('line 5', 'line X'), texts[5]!]
    assert.deepEqual(await judge(joined(altered)), { ok: false, line: 6, reason: 'line 6: hash does not match line 5' })
    assertNamed(await judge(joined([...altered, ...texts.slice(6)])), 5)
  })

  test('checks the place of the last line even without a head', async () => {
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
    assert.deepEqual(await verifyJournal({ path, head }), { ok: true, lines: 31, head })
    writeFileSync(file(10), joined(texts.slice(19, 20)))
    assertNamed(await verifyJournal({ path, head }), 19)
    writeFileSync(file(10), joined(texts.slice(18, 20)))
    renameSync(file(4), file(11))
    assert.deepEqual(await verifyJournal({ path, head }), { ok: false, line: 7, reason: 'line 7: audit.4.jsonl is missing' })
    renameSync(file(11), file(4))
    rmSync(file(10))
    assert.deepEqual(await verifyJournal({ path }), { ok: false, line: 19, reason: 'line 19: expected seq 19, got 21 (audit.jsonl)' })
    writeFileSync(file(10), joined(texts.slice(18, 20)))
    writeFileSync(path, '')
    assert.deepEqual(await verifyJournal({ path }), { ok: false, line: 21, reason: 'line 21: audit.jsonl is empty' })
  })

  test('passes an empty journal and says when there is none', async (t) => {
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
