// The stop of a group whose registry cannot be read: it holds all the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carry, createGroup, fails, group, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'

test('a group is frozen though nobody can look whether it is there', async () => {
  let damaged = false
  const unit = await openUnit({
    store: (store) => ({
      ...store,
      read: {
        ...store.read,
        get: (sql, params) => (damaged ? Promise.reject(new Error('the page is damaged')) : store.read.get(sql, params)),
        all: (sql, params) => (damaged ? Promise.reject(new Error('the page is damaged')) : store.read.all(sql, params)),
      },
    }),
  })
  await createGroup(unit, 'a')
  await putServer(unit, 'sample')
  await carry(unit, ['mcp_access', 'a', { server: 'sample', tools: ['echo'] }])
  const { id: session } = await openSession(unit, 'a')
  assert.equal((await authorize(unit, session, ['sample', 'echo'])).allowed, true)
  damaged = true
  const freeze = (id: string) => unit.gateway.controlPlane.freeze({ token, agentGroupID: group(id), reason: 'alarm' }, context)
  assert.equal((await freeze('a')).agentGroupID, 'a')
  assert.deepEqual(await authorize(unit, session, ['sample', 'echo']), { allowed: false, agentGroupID: 'a', code: 'frozen' })
  damaged = false
  assert.equal((await fails(Promise.resolve(freeze('nobody')))).code, 'not-found')
  assert.deepEqual(
    (await audit(unit)).filter(({ stage }) => stage === 'freeze').map(({ agentGroupID }) => agentGroupID),
    ['a'],
  )
  await unit.close()
  await removeDirectory(unit.dir)
})
