// svcctl explain: a verdict that a script can rest on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explanation } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

test('a call that is refused ends with 6, with every step on stdout', async () => {
  const refused = {
    ...explanation,
    allowed: false,
    code: 'not-granted',
    steps: [{ check: 'grant', passed: false, detail: 'there is none' }],
  }
  await using unit = await startUnit({ answers: { 'GET /v1/explain': refused } })
  const ended = await svcctl(['explain', 'dev-agent', 'sample__echo'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 6)
  assert.match(ended.stdout, /^refused: not-granted .*\n✗ grant {2}there is none\n$/)
})
