// Unit ids distinguish two running units with the same installation id.
import assert from 'node:assert/strict'
import { cp, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { getRunDirectoryName, getUnitId } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

test('a copied state directory has another id, and a renamed one keeps its id', async (context) => {
  const home = await scratch(context)
  const [state, copy, renamed] = [join(home, 'state'), join(home, 'copy'), join(home, 'renamed')]
  await mkdir(state)
  await cp(state, copy, { recursive: true })
  const id = getUnitId(state, 'installation')
  assert.match(id, /^[0-9a-f]{32}$/)
  assert.notEqual(getUnitId(copy, 'installation'), id)
  assert.notEqual(getUnitId(state, 'another'), id)
  await rename(state, renamed)
  assert.equal(getUnitId(renamed, 'installation'), id)
  assert.equal(getRunDirectoryName(id).length, 8)
})
