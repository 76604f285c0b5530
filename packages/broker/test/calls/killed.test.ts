// A broker that is killed at any step of a list or call leaves exactly one record of it, once the next one has started.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CallRecord } from '@gatehouse/contracts'
import { Bench } from '../fixtures/bench.ts'

const doomed = join(import.meta.dirname, '../fixtures/doomed.ts')

/** What the files say after the broker was killed there and another one has started; twice, since that may be killed too. */
const recordsAfter = async (act: string, step: string, weakening = ''): Promise<CallRecord[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'gh-k-'))
  const child = spawn(process.execPath, [doomed, directory, act, step, weakening], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  const next = new Bench(directory)
  try {
    assert.equal(signal, 'SIGKILL', `expected the broker to reach the step ${step}`)
    await next.start()
    const records = await next.records()
    await next.broker.stop()
    await next.start()
    assert.deepEqual(await next.records(), records, 'a second start finds nothing left')
    return records.filter(({ op }, index) => op === 'list' || index > 0 || step === 'asked')
  } finally {
    await next.stop()
  }
}

const brief = (records: readonly CallRecord[]) => records.map(({ op, server, tool, status }) => [op, server, tool, status])
const call = (status: string) => [['call', 'one', 'echo', status]]
const nameless = [['call', '', undefined, 'unknown']]

type Step = readonly [what: string, act: string, step: string, expected: unknown]

/** For the full profile alone: each costs a process. */
const finer: readonly Step[] = [
  ['while the body of a call arrives', 'half', 'begun', nameless],
  ['while its first name is looked up', 'call', 'asked', nameless],
  ['when the tool is known', 'call', 'aimed', call('unknown')],
  ['while the gateway is asked', 'call', 'authorized', call('unknown')],
  ['before the answer leaves', 'call', 'cleared', call('ok')],
  ['as a list arrives', 'list', 'begun', [['list', '', undefined, 'unknown']]],
]

const steps: readonly Step[] = [
  ['as a call arrives', 'call', 'begun', nameless],
  ['when the call was sent', 'call', 'sent', call('unknown')],
  ['before the record is written', 'call', 'answered', call('unknown')],
  ['when the record is written', 'call', 'recorded', call('ok')],
  [
    'before the records of a list are written',
    'list',
    'answered',
    [
      ['list', 'one', undefined, 'unknown'],
      ['list', 'two', undefined, 'unknown'],
    ],
  ],
  [
    'when the records of a list are written',
    'list',
    'recorded',
    [
      ['list', 'one', undefined, 'ok'],
      ['list', 'two', undefined, 'ok'],
    ],
  ],
]

for (const [what, act, step, expected] of [...steps, ...(process.env['GATEHOUSE_PROFILE'] === 'full' ? finer : [])])
  test(`leaves one record when it is killed ${what}`, async () => {
    assert.deepEqual(brief(await recordsAfter(act, step)), expected)
  })

test('without slots a call that was sent would leave no record', async () => {
  assert.deepEqual(await recordsAfter('call', 'sent', 'no-slots'), [])
})

test('without ids a call that was recorded would leave two', async () => {
  assert.equal((await recordsAfter('call', 'recorded', 'no-ids')).length, 2)
})
