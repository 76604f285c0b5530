// Who may be heard at an address of a channel: what an approved wiring and approved members mean there, from the approval on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carry, createGroup } from '../fixtures/people.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()
await createGroup(unit, 'g')
await carry(unit, ['wiring', 'g', { channel: 'slack', address: 'C1', engage: 'pattern', pattern: 'deploy', session: 'thread' }])

const heard = (user: string, address = 'C1') => unit.gateway.channels.admit({ channel: 'slack', address, user }, context)

test('an address that is wired leads to its group with its terms, and one that is not leads nowhere', async () => {
  const { admitted, ...terms } = await heard('U1')
  assert.equal(admitted, true)
  assert.deepEqual(terms, { agentGroupID: 'g', engage: 'pattern', pattern: 'deploy', session: 'thread', workspaceMiB: 1024 })
  assert.deepEqual(await heard('U1', 'C2'), { admitted: false, why: 'not_routed' })
})

test('with members only they are heard, on their own channel', async () => {
  await carry(unit, [
    'permissions',
    'g',
    {
      members: [
        { channel: 'slack', user: 'U1' },
        { channel: 'telegram', user: 'U2' },
      ],
    },
  ])
  assert.equal((await heard('U1')).admitted, true)
  assert.deepEqual(await heard('U2'), { admitted: false, why: 'not_member' })
  assert.deepEqual(await heard('U3'), { admitted: false, why: 'not_member' })
  await carry(unit, ['permissions', 'g', { members: [] }])
  assert.equal((await heard('U3')).admitted, true)
})

test('an address that was removed leads nowhere', async () => {
  await carry(unit, ['wiring', 'g', { remove: { channel: 'slack', address: 'C1' } }])
  assert.deepEqual(await heard('U1'), { admitted: false, why: 'not_routed' })
})
