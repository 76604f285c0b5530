// How-tos about who decides and what is kept, followed word for word on production units: two approvers, backup and restore.
// Profile: rest. Follows long pages on production units; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { follow } from '../../src/documents/follow.ts'
import { freePort } from '../../src/unit.ts'
import type { Step } from '../../src/documents/page.ts'
import { socketsOf } from '../fixtures/beside/belongings.ts'
import { production } from '../fixtures/production.ts'

test('two people are needed, and the page shows that neither may be the other or the requester', async (t) => {
  const { places, env } = await production(t)
  await follow('docs/how-to/two-approvers.md', { already: 'gatehouse', places, env })
})

test('a backup is taken, tried beside the live unit, which is not affected, then restored, found frozen, looked through and lifted', async (t) => {
  const { base, stateDir, places, env, clientOf } = await production(t)
  const port = await freePort()
  let ofLive: string[] | undefined
  let isStopped = false
  /** As long as the page has not stopped it, the live unit has the sockets that it had. */
  const before = async (step: Step): Promise<void> => {
    isStopped ||= step.does === 'type' && step.stopped
    if (isStopped) return
    ofLive ??= await socketsOf({ stateDir })
    assert.ok(ofLive.length > 0)
    assert.deepEqual(await socketsOf({ stateDir }), ofLive, `the sockets of the live unit before line ${step.line}`)
  }
  const beside = { places: { ...places, '127.0.0.1:8788': `127.0.0.1:${port}` }, listens: { drill: port }, before }
  await follow('docs/how-to/backup.md', { already: 'gatehouse', env, ...beside }, async (address) => {
    assert.ok(isStopped)
    const client = await clientOf(address, join(base, 'restored'))
    assert.deepEqual((await client.status()).frozen, [])
  })
})
