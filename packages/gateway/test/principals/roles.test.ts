// Every call by every role: nothing but what the contract's table allows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentGroupID, clientRole, type Digest, gatewayControlPlane, permitRoutes, type Role, roles } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'
import { rights } from '../../src/state/roles.ts'
import { mint } from '../fixtures/crowd.ts'
import { createExternal, inAnHour, token } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { type RowName, rows, type There } from './calls.ts'
import { ask, furnishGroup } from './sweep.ts'

const names = Object.keys(rows) as RowName[]
const tokens = new Map<Role, Digest>()
let unit: Unit
let there: There

before(async () => {
  unit = await openUnit({ boot: { mcpEndpoint: true } })
  await putServer(unit, 'sample')
  there = await furnishGroup(unit, 'ours')
  for (const role of roles) tokens.set(role, (await mint(unit, { name: `an-${role}`, role })).token)
  await createExternal(unit, 'outside')
  const groups = [v.parse(AgentGroupID, 'outside')]
  tokens.set(clientRole, (await mint(unit, { name: 'a-client', role: clientRole, groups, expiresAt: inAnHour() })).token)
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

test('every call of the contract and every route of permits has a row', () => {
  const calls = Object.keys(gatewayControlPlane.calls).filter((name) => name !== 'permit')
  assert.deepEqual(names.toSorted(), [...calls, ...permitRoutes.map((route) => `permit ${route}`)].toSorted())
  assert.deepEqual(Object.keys(rights).toSorted(), names.map((name) => name.replace('permit ', '')).toSorted())
})

for (const name of names) {
  const { least } = rows[name]
  for (const role of [...roles, clientRole] as const) {
    const isOrdered = role !== clientRole && least !== clientRole
    const allowed = isOrdered ? roles.indexOf(role) >= roles.indexOf(least) : role === least
    test(`${role} ${allowed ? 'may' : 'may not'} ${name}`, async () => {
      const presented = tokens.get(role)
      assert.ok(presented)
      const { code } = await ask(unit, name, { token: presented, there })
      if (allowed) assert.ok(code !== 'forbidden' || name === 'withdraw', `expected no refusal by role, got ${code}`)
      else assert.equal(code, 'forbidden')
    })
  }
}

test('nobody may do anything without a token, with a wrong one, or with half of the right one', async () => {
  const wrong = [null, sha256('another'), token.slice(0, 32), `${token}00`, '', 'zz', 'f'.repeat(64)] as (Digest | null)[]
  for (const name of names) {
    for (const presented of wrong) assert.equal((await ask(unit, name, { token: presented, there })).code, 'unauthorized', name)
  }
})
