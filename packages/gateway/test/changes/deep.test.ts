// Evidence that is nested deeper than the database reads JSON stops nothing: no search looks into what a change holds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SessionID } from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import * as v from 'valibot'
import { storeEvidence } from '../../src/evidence/stored.ts'
import { tool } from '../fixtures/listing.ts'
import { createGroup, decide, fails, read, submit } from '../fixtures/people.ts'
import { openSession, putServer } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let now = Date.now()
const options = { clock: () => now, boot: { changeTtl: 60_000 } }
let unit = await openTestUnit(options)
await createGroup(unit, 'g')
await putServer(unit, 's0')

const levels = 1500
const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** As a listing would have left it that nobody refused. */
const deepen = async (id: string): Promise<void> => {
  const { conditions: _none, ...change } = { conditions: [], ...(await read(unit, id)) }
  const record = JSON.stringify({ ...change, evidence: 'here' }).replace('"here"', deep)
  await unit.store.write((tx) => tx.run('UPDATE changes SET record = ? WHERE id = ?', [record, id]))
}
const again = async (): Promise<void> => {
  await unit.close()
  unit = await openUnit({ ...options, dir: unit.dir })
}
const hold = async (text: string) => (await submit(unit, ['persona', 'g', { instructions: text }])).id

test('changes expire beside it and with it', async () => {
  const ids = [await hold('one'), await hold('two')]
  await deepen(ids[0] ?? '')
  now += 60_000
  await again()
  for (const id of ids) assert.equal((await read(unit, id)).state, 'expired')
})

test('the pause of an agent is kept', async () => {
  const session = v.parse(SessionID, (await openSession(unit, 'g')).id)
  const ask = async () => unit.gateway.runner.submitFor({ session, kind: 'mcp_access', after: { server: 's0', tools: ['echo'] } }, context)
  const { id } = await ask()
  await decide(unit, [id, 'reject'])
  await deepen(id)
  assert.equal((await fails(ask())).code, 'rate-limited')
})

test('definitions are kept and forgotten', async () => {
  await deepen(await hold('three'))
  for (let turn = 0; turn < 70; turn += 1) {
    const definitions = { tools: [tool(`t${turn}`)], drift: [] }
    await storeEvidence(unit.store, { digest: digestOf(definitions), definitions })
  }
  assert.equal((await unit.store.read.all('SELECT 1 FROM evidence')).length, 64)
})
