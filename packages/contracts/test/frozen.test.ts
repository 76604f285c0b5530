// Constants that outlive a release. Changing one needs a new state schema, and then a new digest here.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as frozen from '../src/frozen.ts'

const digests: Readonly<Record<number, string>> = {
  1: '24c213e66319a93c1e5c2410b660235f69759d2cf7493f949cdac6185656dbb4',
}

test('frozen constants are those of their state schema', () => {
  const text = JSON.stringify(Object.entries(frozen).toSorted(([a], [b]) => a.localeCompare(b)))
  assert.equal(createHash('sha256').update(text).digest('hex'), digests[frozen.stateSchema])
})
