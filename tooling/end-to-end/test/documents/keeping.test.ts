// How-tos about who decides and what is kept, followed word for word on production units: two approvers, backup and restore.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { follow } from '../../src/documents/follow.ts'
import { production } from '../fixtures/production.ts'

test('two people are needed, and the page shows that neither may be the other or the requester', async (t) => {
  const { places, env } = await production(t)
  await follow('docs/how-to/two-approvers.md', { already: 'gatehouse', places, env })
})

test('a backup is taken, restored beside the unit, found frozen, looked through and lifted', async (t) => {
  const { base, places, env, clientOf } = await production(t)
  await follow('docs/how-to/backup.md', { already: 'gatehouse', places, env }, async (address) => {
    const client = await clientOf(address, join(base, 'restored'))
    assert.deepEqual((await client.status()).frozen, [])
  })
})
