import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, test, type TestContext } from 'node:test'
import { type JournalOptions, verifyJournal } from '../src/index.ts'
import { rotatedPath } from '../src/rotated.ts'
import { filesOf, openSmall } from './files.ts'
import { openFor } from './state.ts'

describe('verification reports the first bad line', () => {
  const closed = async (t: TestContext): Promise<{ options: JournalOptions; first: number; files: string[][] }> => {
    const { options, journal } = await openSmall(t, 22)
    await journal.close()
    const files = await filesOf(options.path)
    return { options, files, first: files[0]!.length + 1 }
  }

  test('where a closed file is missing', async (t) => {
    const { options, first } = await closed(t)
    rmSync(rotatedPath(options.path, 2))
    assert.deepEqual(await verifyJournal(options), { ok: false, line: first, reason: `line ${first}: audit.2.jsonl is missing` })
  })

  test('where two closed files were swapped', async (t) => {
    const { options, first, files } = await closed(t)
    const [two, three] = [rotatedPath(options.path, 2), rotatedPath(options.path, 3)]
    renameSync(two, `${two}.away`)
    renameSync(three, two)
    renameSync(`${two}.away`, three)
    const got = first + files[1]!.length
    assert.deepEqual(await verifyJournal(options), {
      ok: false,
      line: first,
      reason: `line ${first}: expected seq ${first}, got ${got} (audit.2.jsonl)`,
    })
  })

  test('where a closed file was truncated', async (t) => {
    const { options, first, files } = await closed(t)
    writeFileSync(
      rotatedPath(options.path, 2),
      files[1]!
        .slice(0, -1)
        .map((text) => `${text}\n`)
        .join(''),
    )
    const line = first + files[1]!.length - 1
    assert.deepEqual(await verifyJournal(options), {
      ok: false,
      line,
      reason: `line ${line}: expected seq ${line}, got ${line + 1} (audit.3.jsonl)`,
    })
  })

  test('where a line in the middle of a closed file was altered, which opening does not check', async (t) => {
    const { options, first, files } = await closed(t)
    const altered = files[1]!.map((text, index) => `${index === 2 ? text.replace('"line ', '"LINE ') : text}\n`).join('')
    writeFileSync(rotatedPath(options.path, 2), altered)
    const again = await openFor(t, options)
    await again.append([])
    const verdict = await verifyJournal(options)
    assert.ok(!verdict.ok && verdict.line === first + 2 && verdict.reason.endsWith('(audit.2.jsonl)'), JSON.stringify(verdict))
  })
})
