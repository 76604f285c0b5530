// Approvals and freezes count as they are when the line of an apply is written, whatever the apply waited for.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TokenName } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { mint, type Person } from '../fixtures/crowd.ts'
import { createGroup, read, submit, token, type Wanted } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { putServer, stdio } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

/** A database whose readings are counted. */
const countReadings = () => {
  const readings = { begun: 0, ended: 0 }
  const counted = async <T>(read: () => Promise<T>): Promise<T> => {
    readings.begun += 1
    return read().finally(() => (readings.ended += 1))
  }
  const wrap = (store: Store): Store => ({
    ...store,
    read: {
      get: (sql, params) => counted(() => store.read.get(sql, params)),
      all: (sql, params) => counted(() => store.read.all(sql, params)),
    },
  })
  /** The apply has read what it is judged on, and waits. */
  const settled = async (): Promise<void> => {
    for (let turns = 0, last = readings.begun; turns < 200; turns += 1) {
      await setImmediate()
      if (readings.begun !== last || readings.ended < readings.begun) turns = 0
      last = readings.begun
    }
  }
  return { wrap, settled }
}

interface Scene {
  readonly unit: Unit
  readonly approver: Person
  readonly settled: () => Promise<void>
}

const openScene = async (t: TestContext, evidenceWait = 0): Promise<Scene> => {
  const { wrap, settled } = countReadings()
  const unit = await openUnit({ store: wrap, evidenceWait, boot: { mountAllow: ['/srv/shared'] } })
  t.after(async () => {
    await unit.close()
    await removeDirectory(unit.dir)
  })
  await createGroup(unit, 'a')
  await mint(unit, { name: 'spare', role: 'approver' })
  return { unit, approver: await mint(unit, { name: 'ann', role: 'approver' }), settled }
}

const revoke = ({ gateway }: Unit, name: string) => gateway.controlPlane.revokeToken({ token, name: v.parse(TokenName, name) }, context)

const stops = {
  'an approval that is revoked': { stop: (unit: Unit) => revoke(unit, 'ann'), state: 'held' },
  'a freeze': { stop: ({ gateway }: Unit) => gateway.controlPlane.freeze({ token, reason: 'now' }, context), state: 'approved' },
} as const

/** Behind the line of the approval another act begins, whose line is not written until the journal is released: the apply waits for it. */
const holdBehindApproval = (unit: Unit): { held: Promise<void>; release: () => void } => {
  const append = unit.journal.append.bind(unit.journal)
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding: typeof append = async (lines) => {
    unit.journal.append = append
    held.resolve()
    await released.promise
    return append(lines)
  }
  unit.journal.append = async (lines) => {
    const appended = await append(lines)
    if (lines.every(({ stage }) => stage !== 'approve')) return appended
    unit.journal.append = holding
    void revoke(unit, 'spare')
    return appended
  }
  return { held: held.promise, release: () => released.resolve() }
}

const kinds: readonly Wanted[] = [
  ['persona', 'a', { instructions: 'x' }],
  ['permissions', 'a', { limits: { memoryMiB: 1_024 } }],
  ['wiring', 'a', { channel: 'slack', address: '#a', engage: 'all', session: 'shared' }],
  ['mounts', 'a', { mounts: [{ source: '/srv/shared/a', target: '/mnt/a', mode: 'ro' }] }],
  ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }],
  ['mcp_register', 'a', { name: 'two', ...stdio }],
]

for (const [what, { stop, state }] of Object.entries(stops))
  for (const wanted of kinds)
    test(`${what} while the journal is waited for stops an approved ${wanted[0]}`, async (t) => {
      const { unit, approver, settled } = await openScene(t)
      await putServer(unit, 'sample')
      const { id } = await submit(unit, wanted)
      const { held, release } = holdBehindApproval(unit)
      const deciding = approver.decide(id, 'approve')
      await held
      await settled()
      const stopping = stop(unit)
      release()
      await Promise.all([stopping, deciding])
      assert.equal((await read(unit, id)).state, state)
      assert.ok(!(await stages(unit, id)).includes('apply'))
    })

test('an approval that is revoked while the image of a registration is looked for does not count', async (t) => {
  const { unit, approver } = await openScene(t, 60_000)
  const asked = Promise.withResolvers<void>()
  unit.gateway.subscribers.subscribe({ runner: { publish: (event) => void (event === 'images-wanted' && asked.resolve()) } })
  const { id } = await submit(unit, ['mcp_register', 'a', { name: 'two', ...stdio, image: 'box:1' }])
  const deciding = approver.decide(id, 'approve')
  await asked.promise
  await stops['an approval that is revoked'].stop(unit)
  await unit.gateway.runner.imagesSighted({ images: [{ image: 'box:1', id: `sha256:${'1'.repeat(64)}` }] }, context)
  assert.equal((await deciding).state, 'held')
  assert.deepEqual(await unit.gateway.broker.catalog({}, context), [])
})
