// svcctl model check: what a script learns of a key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

const checkOf = async (found: object): Promise<number> => {
  const answers = { 'POST /v1/models/anthropic/check': { provider: 'anthropic', elapsedMs: 3, detail: 'so it is', ...found } }
  await using unit = await startUnit({ answers })
  return (await svcctl(['model', 'check', 'anthropic'], { env: { SERVICE_API_URL: unit.address } })).code
}

test('model check ends with 0 for a key that is taken, and with 7 for one that is refused or a provider out of reach', async () => {
  assert.equal(await checkOf({ reachable: true, keyAccepted: true, status: 200 }), 0)
  assert.equal(await checkOf({ reachable: true, status: 503 }), 0)
  assert.equal(await checkOf({ reachable: true, keyAccepted: false, status: 401 }), 7)
  assert.equal(await checkOf({ reachable: false }), 7)
})
