// The announcer by itself: one line that cannot be told keeps no other from being told, and nothing that it does fails an act.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@gatehouse/contracts'
import { createMetrics, silentLogger } from '@gatehouse/kernel'
import { createEventPublisher } from '../../src/events/publisher.ts'
import { createSubscribers } from '../../src/state/subscribers.ts'
import { createGroup, decide } from '../fixtures/people.ts'
import { openSession } from '../fixtures/tools.ts'
import { type Heard, openUnit, removeDirectory } from '../fixtures/unit.ts'
import { askForAccess, decisionsIn, newsIn } from './hearing.ts'

const deaf = { publish: () => undefined }

test('nobody who listens is no error, and a unit without tool servers has no broker to tell', () => {
  const hall = createSubscribers()
  hall.broker('catalog-changed', {})
  hall.runner('freeze-changed', {})
  hall.controlPlane('news', { items: [] })
  const heard: string[] = []
  hall.subscribe({ controlPlane: deaf, broker: undefined, runner: { publish: (event) => void heard.push(event) } })
  hall.broker('catalog-changed', {})
  hall.runner('freeze-changed', {})
  assert.deepEqual(heard, ['freeze-changed'])
  hall.subscribe({ controlPlane: deaf, broker: { publish: (event) => void heard.push(event) }, runner: deaf })
  hall.broker('catalog-changed', {})
  hall.runner('freeze-changed', {})
  assert.deepEqual(heard, ['freeze-changed', 'catalog-changed'], 'a later subscriber replaces the earlier one')
})

test('a change that cannot be read now keeps no other from being told', async () => {
  const unit = await openUnit()
  await createGroup(unit, 'a')
  const { id: session } = await openSession(unit, 'a')
  const ids = [(await askForAccess(unit, session)).id, (await askForAccess(unit, session)).id]
  for (const id of ids) await decide(unit, [id, 'reject'])

  const heard: Heard[] = []
  const ear = (by: Heard['by']) => ({ publish: (event: string, payload: unknown) => void heard.push({ by, event, payload }) })
  const subscribers = createSubscribers()
  subscribers.subscribe({ controlPlane: ear('controlPlane'), broker: ear('broker'), runner: ear('runner') })
  let failures = 1
  const { read } = unit.store
  const announcer = createEventPublisher({
    store: {
      ...unit.store,
      read: { ...read, get: (sql, params) => (failures-- > 0 ? Promise.reject(new Error('not now')) : read.get(sql, params)) },
    },
    table: {
      rebuild: () => Promise.reject(new Error('not now')),
      now: () => undefined,
      current: () => Promise.reject(new Error('not now')),
      during: (act) => act(),
    },
    subscribers,
    log: silentLogger,
    metrics: createMetrics('gateway'),
    groupRemoved: () => undefined,
    serverTouched: () => undefined,
  })
  const line = (stage: string, seq: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
    seq,
    time: '2026-11-20T00:00:00.000Z',
    stage,
    edge: 'gateway',
    principal: 'gateway',
    detail: {},
    prev: '',
    hash: '',
    ...more,
  })
  const lines = ids.map((changeID, index) => line('reject', index + 1, { changeID, kind: 'mcp_access', agentGroupID: 'a' }))
  await announcer.committed([...lines, line('observed-drift', 3)])
  assert.deepEqual(
    decisionsIn(heard).map(({ id }) => id),
    ids.slice(1),
  )
  assert.deepEqual(
    newsIn(heard).map(({ stage }) => stage),
    ['reject', 'reject', 'observed-drift'],
  )
  await unit.close()
  await removeDirectory(unit.dir)
})
