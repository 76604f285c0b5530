// Which permissions of an agent are gained, lost and kept, and which only change their terms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Power } from '@gatehouse/contracts'
import { diffPermissions } from '../../src/pages/change/permission-diff.ts'

const power = (name: string, more: Partial<Power> = {}): Power => ({ area: 'server-tool', name, marks: [], ...more })
const said = (can: Power[] | null, could: Power[] | null): string[] =>
  diffPermissions({ can, could }).map((each) => `${each.turn} ${each.power.name}`)

test('tells powers apart by area and name, and terms from powers', () => {
  const can = [power('a'), power('b'), power('c')]
  const could = [power('b', { detail: 'until tomorrow' }), power('c'), power('d'), power('a', { area: 'tool' })]
  assert.deepEqual(said(can, could), ['changed b', 'kept c', 'gained d', 'gained a', 'lost a'])
  assert.deepEqual(said(null, [power('a')]), ['gained a'])
  assert.deepEqual(said([power('a')], null), ['lost a'])
})

test('a limit is never counted as a power', () => {
  assert.deepEqual(said([], [power('cpus', { area: 'limit', detail: '1' })]), ['changed cpus'])
})
