// The index of an old database, which had none: made at the start from the journal, whole also after a start that was cut short.
import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { AuditEntry } from '@gatehouse/contracts'
import { openStore, type Store } from '@gatehouse/store'
import { migrations } from '../../src/gateway.ts'
import { fails, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { bootOf, context, newDirectory, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { createGate } from './gates.ts'
import { naive, openSmallFiles, writeMany } from './many-lines.ts'

/** More than two rounds of the work. */
const count = 5_000

/** A unit as the release before the index left it: its schema, and the journal's last line as the head. */
const age = async (dir: string): Promise<void> => {
  const journal = await openSmallFiles(dir, 500_000)
  const head = journal.head()
  await journal.close()
  const store = await openStore({ path: join(dir, 'gateway.db'), key: bootOf(dir).keys.database, migrations: migrations.slice(0, 1) })
  await store.write((tx) => tx.run('INSERT INTO head (one, seq, hash) VALUES (1, ?, ?)', [head.seq, head.hash]))
  await store.close()
}

let old: string
before(async () => {
  old = await writeMany(count, 500_000)
  await age(old)
})
after(() => removeDirectory(old))

const copy = async (): Promise<string> => {
  const dir = await newDirectory()
  await cp(old, dir, { recursive: true })
  return dir
}

const indexed = async ({ store }: { store: Store }): Promise<number[]> =>
  (await store.read.all<{ seq: number }>('SELECT seq FROM lines ORDER BY seq')).map(({ seq }) => seq)

const expectWhole = async (unit: Unit): Promise<void> => {
  const lines: AuditEntry[] = await audit(unit)
  assert.ok(lines.length > count)
  const rows = await indexed(unit)
  assert.deepEqual(
    rows,
    lines.slice(0, rows.length).map(({ seq }) => seq),
  )
  for (const filter of [{ stage: 'park' }, { principal: 'ann', agentGroupID: 'b' }, { kind: 'persona', until: lines[2_500]?.time }]) {
    const { items } = await unit.gateway.controlPlane.audit({ token, limit: 200, ...filter } as never, context)
    assert.deepEqual(items, naive(lines, filter).slice(0, 200))
    const oldest = naive(lines, filter).slice(-20)
    const cursor = String((oldest[0]?.seq ?? 0) + 1)
    const last = await unit.gateway.controlPlane.audit({ token, limit: 200, cursor, ...filter } as never, context)
    assert.deepEqual(last, { items: oldest })
  }
}

test('an old database gets its index at the start, of every line, once', async () => {
  const dir = await copy()
  for (let start = 0; start < 2; start += 1) {
    const unit = await openUnit({ dir })
    await expectWhole(unit)
    await unit.close()
  }
  await removeDirectory(dir)
})

for (const rounds of [0, 1, 2]) {
  test(`a start that dies after ${rounds} rounds of indexing is gone on with at the next`, async () => {
    const dir = await copy()
    const gate = createGate(() => new Error('the process is dead'))
    let left = rounds
    let dead: Store | undefined
    const dying = openUnit({
      dir,
      store: (store) => {
        dead = store
        return {
          ...store,
          write: (act) => {
            if (left === 0) gate.set('shut')
            left -= 1
            return gate.through(() => store.write(act))
          },
        }
      },
    })
    await assert.rejects(dying, /the process is dead/)
    assert.ok(dead)
    const rows = await indexed({ store: dead })
    assert.equal(rows.length, rounds * 2_000)
    assert.equal(rows.at(-1) ?? 0, rounds * 2_000)
    await dead.close()
    const unit = await openUnit({ dir })
    await expectWhole(unit)
    await submit(unit, ['agent_create', 'a', { id: 'a', name: 'a', agent: 'mock' }])
    await expectWhole(unit)
    await unit.close()
    await removeDirectory(dir)
  })
}

test('a line that cannot be read while the index is made ends all deciding, not the reading', async () => {
  const dir = await copy()
  const path = join(dir, 'audit.1.jsonl')
  const lines = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, lines.map((line, index) => (index === 700 ? 'x'.repeat(line.length) : line)).join('\n'))
  const unit = await openUnit({ dir })
  const asked = await fails(submit(unit, ['agent_create', 'a', { id: 'a', name: 'a', agent: 'mock' }]))
  assert.equal(asked.code, 'audit-unwritable')
  assert.match(asked.detail, /no journal entry at byte/)
  assert.equal((await unit.gateway.supervisor.health({}, context)).status, 'failed')
  const { items } = await unit.gateway.controlPlane.audit({ token, limit: 10 }, context)
  assert.equal(items.length, 10)
  await unit.close()
  await removeDirectory(dir)
})
