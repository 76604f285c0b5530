// Random tampering with journal files: every case is detected and the first bad line is reported. The cases that cannot be detected in
// principle are tested too: changes after the last signature and after the last known head.
import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fc, seed } from '@gatehouse/testkit/random'
import { type Verdict, verifyJournal } from '../src/index.ts'
import { rotatedPath } from '../src/rotated.ts'
import { entryOf, rechained } from './forge.ts'
import { passes } from './small-verifier.ts'
import { type Tampered, tamper, tampers } from './tampering.ts'
import { contentsOf, judge, type Written, writeJournal } from './written.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const runs = full ? 100_000 : 1500
/** Number of cases that are also written to a disk and verified there. */
const onDisk = full ? 1000 : 30
const kinds = Object.keys(tampers)

const written = await writeJournal({ after })

const numbers = fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 8, maxLength: 8 })

const tamperBy = (kind: string, from: readonly number[]): Tampered => {
  const left = [...from]
  return tamper(written, kind, (below) => (left.pop() ?? 0) % below)
}

const verdictOnDisk = ({ files, head }: Tampered): Promise<Verdict> => {
  const { path, publicKeyPath } = written
  const directory = dirname(path)
  for (const name of readdirSync(directory)) if (name.endsWith('.jsonl')) rmSync(join(directory, name))
  for (const [index, content] of files.entries())
    if (content !== undefined) writeFileSync(index === files.length - 1 ? path : rotatedPath(path, index + 1), content)
  return verifyJournal({ path, publicKeyPath, known: head === undefined ? [] : [head] })
}

/** Fails at the first case that is missed or for which another line is reported. */
const assertFound = async (total: number, verdictOf: (tampered: Tampered) => Promise<Verdict>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), numbers, async (kind, from) => {
      const tampered = tamperBy(kind, from)
      const verdict = await verdictOf(tampered)
      assert.ok(!verdict.ok, `${kind}: missed`)
      assert.equal(verdict.line, tampered.line, `${kind}: ${verdict.reason}`)
    }),
    { numRuns: total, endOnFailure: true },
  )

/** Kinds of tampering of which at least one case is missed. */
const missed = async (pass: (tampered: Tampered) => boolean | Promise<boolean>): Promise<string[]> => {
  const found = new Set<string>()
  for (const kind of kinds)
    for (const from of fc.sample(numbers, { numRuns: full ? 200 : 12, seed: 7 })) if (await pass(tamperBy(kind, from))) found.add(kind)
  return [...found]
}

describe('tampering', () => {
  test(`is detected in ${runs} random cases, each with the first bad line`, { timeout: 3_600_000 }, (t) => {
    t.diagnostic(`GATEHOUSE_SEED=${seed}`)
    return assertFound(runs, ({ files, head }) => judge(files, { key: written.key, head }))
  })

  test(`is detected in ${onDisk} cases in files on disk`, { timeout: 600_000 }, () => assertFound(onDisk, verdictOnDisk))

  test('is detected by a second verifier too', async () => {
    assert.deepEqual(await missed(({ files, head }) => passes(files, { chain: true, key: written.key, head })), [])
  })

  test('a verifier without the hash chain misses altered lines', async () => {
    const kindsMissed = await missed(({ files, head }) => passes(files, { chain: false, key: written.key, head }))
    for (const kind of ['a flipped bit', 'a rewritten line']) assert.ok(kindsMissed.includes(kind), kind)
  })

  test('a verifier without the key misses only lines that were chained again', async () => {
    const kindsMissed = await missed(async ({ files, head }) => (await judge(files, { head })).ok)
    assert.deepEqual(kindsMissed, ['all lines after a change chained again'])
  })

  test('a verifier without a known head misses rollbacks', async () => {
    const kindsMissed = await missed(async ({ files }) => (await judge(files, { key: written.key })).ok)
    assert.ok(kindsMissed.includes('a rollback to an earlier journal'))
    assert.ok(!kindsMissed.includes('all lines after a change chained again'))
  })

  test('a verifier that reads only the first file misses most kinds', async () => {
    const kindsMissed = await missed(async ({ files: [first] }) => (await judge([first], { key: written.key })).ok)
    assert.ok(kindsMissed.length > kinds.length / 2, kindsMissed.join())
  })
})

describe('undetectable cases', () => {
  const verdict = (lines: readonly Buffer[], head?: Written['heads'][number]): Promise<Verdict> =>
    judge(contentsOf([lines]), { key: written.key, head })
  const lastSigned = (): number => written.lines.findLastIndex((bytes, index) => index < 200 && entryOf(bytes).stage === 'checkpoint')

  test('a rollback to any line, without a known head', async () => {
    for (let length = 0; length <= written.lines.length; length += 1)
      assert.deepEqual(await verdict(written.lines.slice(0, length)), { ok: true, lines: length, head: written.heads[length] })
  })

  test('a rollback that ends at or after the known head', async () => {
    assert.equal((await verdict(written.lines.slice(0, 100), written.heads[100])).ok, true)
    assert.equal((await verdict(written.lines.slice(0, 99), written.heads[100])).ok, false)
  })

  test('a line after the last checkpoint that was altered and chained again, without its head', async () => {
    const from = lastSigned() + 1
    const lines = written.lines.slice(0, from + 3)
    const changed = rechained(lines.with(from, Buffer.from(lines[from]!.toString().replace('admin', 'nobody'))), from)
    assert.notDeepEqual(changed, lines)
    assert.equal((await verdict(changed)).ok, true)
    assert.deepEqual(await verdict(changed, written.heads[lines.length]), {
      ok: false,
      line: lines.length,
      reason: `line ${lines.length}: does not match the known head`,
    })
  })

  test('unsigned members of the last line, without its head', async () => {
    const { lines, heads } = written
    const last = lines.at(-1)!.toString().replace('"principal":"gateway"', '"principal":"mallory"')
    const changed = [...lines.slice(0, -1), Buffer.from(last)]
    assert.equal((await verdict(changed)).ok, true)
    assert.equal((await verdict(changed, heads.at(-1))).ok, false)
  })

  test('which of several matching lines was altered first: the last of them is reported', async () => {
    const from = lastSigned() + 1
    const changed = rechained(written.lines.with(from, Buffer.from(written.lines[from]!.toString().replace('admin', 'nobody'))), from)
    const spliced = [...changed.slice(0, from + 3), ...written.lines.slice(from + 3)]
    const found = await verdict(spliced, written.heads.at(-1))
    assert.ok(!found.ok && found.line === from + 3, JSON.stringify(found))
  })
})
