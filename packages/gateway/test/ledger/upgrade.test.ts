// A database of each earlier schema, with live rows: brought to the schema of this release, nothing lost.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore, type Store } from '@gatehouse/store'
import { migrations } from '../../src/gateway.ts'

const key = randomBytes(32).toString('hex')
const record = { kind: 'persona', principal: 'admin', requestedBy: 'cli:alice', expiresAt: '2026-01-02T03:04:05.678Z' }
const schemaOf = (store: Store) => store.read.all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')

for (let version = 1; version < migrations.length; version += 1) {
  test(`a database of schema ${version} is brought to schema ${migrations.length} with what is in it`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-upgrade-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'gateway.db')
    const before = await openStore({ path, key, migrations: migrations.slice(0, version) })
    await before.write((tx) =>
      tx.run('INSERT INTO changes (id, agent_group_id, state, record) VALUES (?, ?, ?, ?)', [
        'chg_1',
        'clerk',
        'held',
        JSON.stringify(record),
      ]),
    )
    await before.close()
    const now = await openStore({ path, key, migrations })
    const fresh = await openStore({ path: join(folder, 'fresh.db'), key, migrations })
    assert.deepEqual(await schemaOf(now), await schemaOf(fresh))
    const rows = await now.read.all<{ id: string; kind: string; requested_by: string; expires_at: string }>(
      'SELECT id, kind, requested_by, expires_at FROM changes',
    )
    const { kind, requestedBy, expiresAt } = record
    if (version === 1) assert.deepEqual(rows, [{ id: 'chg_1', kind, requested_by: requestedBy, expires_at: expiresAt }])
    else assert.equal(rows[0]?.id, 'chg_1')
    await Promise.all([now.close(), fresh.close()])
  })
}
