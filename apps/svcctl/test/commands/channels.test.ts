// svcctl registry channels check: what a script learns of the credentials of a channel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

const route = 'POST /v1/channels/slack/check'
const check = ['registry', 'channels', 'check', 'slack']

test('a channel whose credentials are taken is shown with its account, and one that is refused ends with 7', async () => {
  const found = { name: 'slack', account: '@agents in House', detail: 'so it is', elapsedMs: 3 }
  for (const [accepted, word, code] of [
    [true, 'yes', 0],
    [false, 'no', 7],
  ] as const) {
    await using unit = await startUnit({ answers: { [route]: { ...found, accepted } } })
    const ended = await svcctl(check, { env: { SERVICE_API_URL: unit.address } })
    assert.deepEqual([ended.stdout, ended.code], [`slack\t${word}\t@agents in House\t3\tso it is\n`, code])
  }
})

test('a unit without credentials, a token that may not ask and a word that is no channel are told apart', async () => {
  for (const [problem, code] of [
    ['not-found', 4],
    ['forbidden', 6],
  ] as const) {
    await using unit = await startUnit({ problems: { [route]: problem } })
    assert.equal((await svcctl(check, { env: { SERVICE_API_URL: unit.address } })).code, code)
  }
  const pigeon = await svcctl([...check.slice(0, -1), 'pigeon'])
  assert.deepEqual([pigeon.code, pigeon.stderr.includes('slack')], [2, true])
})
