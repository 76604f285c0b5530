// Verification of an open journal while it grows, including changes to its files.
import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { rotatedPath } from '../src/rotated.ts'
import { appendEach, filesOf, numbered, openSmall, settle } from './files.ts'

test('lines added during verification are no fault', async (t) => {
  const { journal } = await openSmall(t, 22)
  const [verdict] = await Promise.all([journal.verify(), appendEach(journal, numbered(40, 23))])
  assert.ok(verdict.ok && verdict.lines >= 22)
  await settle(journal)
  const after = await journal.verify()
  assert.ok(after.ok)
  assert.deepEqual(after.head, journal.head())
})

test('an altered line of a closed file is reported', async (t) => {
  const { options, journal } = await openSmall(t, 22)
  const files = await filesOf(options.path)
  const path = rotatedPath(options.path, 2)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"line ', '"LINE '))
  const line = files[0]!.length + files[1]!.findIndex((text) => text.includes('"line ')) + 1
  const verdict = await journal.verify()
  assert.ok(!verdict.ok)
  assert.equal(verdict.line, line)
})

test('a line that was removed while the process runs is noticed', async (t) => {
  const { options, journal } = await openSmall(t, 3)
  const bytes = readFileSync(options.path)
  truncateSync(options.path, bytes.lastIndexOf(0x0a, bytes.length - 2) + 1)
  const verdict = await journal.verify()
  assert.ok(!verdict.ok)
  assert.match(verdict.reason, /ended after \d+ of \d+ bytes/)
})
