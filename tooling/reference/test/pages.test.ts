// The reference that is committed is the one that the code gives.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { pages } from '../src/pages.ts'

for (const [name, render] of Object.entries(pages)) {
  test(`${posix.join('docs/reference', name)} is what the tables say; else run: node tooling/reference/src/main.ts`, async () => {
    assert.equal(await readFile(join(import.meta.dirname, '../../../docs/reference', name), 'utf8'), await render())
  })
}
