// Constants that outlive a release. Changing one needs a new state schema, and then a new digest here.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as frozen from '../src/frozen.ts'

const digests: Readonly<Record<number, string>> = {
  1: '907f7d458e3ce3bf069361edaef49e2a89f13eab1c2738c594d41929037d1d84',
}

test('frozen constants are those of their state schema', () => {
  const text = JSON.stringify(Object.entries(frozen).toSorted(([a], [b]) => a.localeCompare(b)))
  assert.equal(createHash('sha256').update(text).digest('hex'), digests[frozen.stateSchema])
})
