// Who may do what: every act of the control plane's door, by token and by role.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Digest, gatewayControlPlane, permitRoutes, roles } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createPrincipals } from '../../src/principals/resolve.ts'
import { assertMay, type Act } from '../../src/principals/role.ts'
import { fails, group, token } from '../fixtures/people.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'

const acts = [...Object.keys(gatewayControlPlane.calls).filter((name) => name !== 'permit'), ...permitRoutes] as Act[]

test('every act needs the token, and a missing one answers as a wrong one', async () => {
  const unit = await openUnit()
  const { controlPlane } = unit.gateway
  for (const wrong of [null, sha256('another token') as Digest]) {
    for (const name of Object.keys(gatewayControlPlane.calls) as (keyof typeof controlPlane)[]) {
      const handler = controlPlane[name] as (params: unknown, with_: unknown) => Promise<unknown>
      const error = await fails(handler({ token: wrong, route: 'status', submission: {}, limit: 1, id: 'x', name: 'x' }, context))
      assert.equal(error.code, 'unauthorized', name)
      assert.equal(error.detail, 'A valid bearer token is required')
    }
  }
  await unit.close()
  await removeDirectory(unit.dir)
})

test('an open unit asks nobody and calls everybody dev', () => {
  const open = createPrincipals(null)
  for (const given of [null, sha256('whatever')]) assert.deepEqual(open.resolve(given, 'putServer'), { name: 'dev', role: 'admin' })
})

test('an admin digest that is none is a mistake, never a door', () => {
  for (const digest of ['', 'xyz', 'ab']) assert.throws(() => createPrincipals(digest), TypeError)
})

test('each act has a least role, and every lesser role is forbidden', async () => {
  const may = (role: (typeof roles)[number], act: Act) => async () => assertMay({ name: 'x', role }, act)
  const allowed = async (role: (typeof roles)[number], act: Act): Promise<boolean> => {
    try {
      await may(role, act)()
      return true
    } catch {
      return false
    }
  }
  const table: Record<string, string[]> = {}
  for (const role of roles) {
    const permitted: boolean[] = await Promise.all(acts.map((act) => allowed(role, act)))
    table[role] = acts.filter((_, index) => permitted[index]).toSorted()
  }
  assert.deepEqual(table['auditor'], [
    'audit',
    'change',
    'grants',
    'groups',
    'history',
    'metrics',
    'pending',
    'server',
    'servers',
    'sessions',
    'status',
  ])
  assert.deepEqual(table['requester'], [...table['auditor'], 'chat', 'submit'].toSorted())
  assert.deepEqual(table['approver'], [...table['requester'], 'decide', 'probe'].toSorted())
  assert.deepEqual(table['admin'], [...acts].toSorted())
  assert.equal((await fails(may('requester', 'decide'))).code, 'forbidden')
})

test('a permit for an unknown group is refused', async () => {
  const unit = await openUnit()
  assert.deepEqual(await unit.gateway.controlPlane.permit({ token, route: 'chat' }, context), { name: 'admin', role: 'admin' })
  const error = await fails(() => unit.gateway.controlPlane.permit({ token, route: 'chat', agentGroupID: group('nobody') }, context))
  assert.equal(error.code, 'not-found')
  await unit.close()
  await removeDirectory(unit.dir)
})
