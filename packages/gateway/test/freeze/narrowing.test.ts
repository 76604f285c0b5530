// Under a freeze an approved change that only takes power away is applied at once; what gives anything waits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeState } from '@gatehouse/contracts'
import { carry, createGroup, decide, group, groups, submit, token } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()
await putServer(unit, 'sample')

const freeze = (name: string) => unit.gateway.controlPlane.freeze({ token, agentGroupID: group(name), reason: 'a drill' }, context)
const approve = async (name: string, kind: string, after_: object) =>
  decide(unit, [(await submit(unit, [kind, name, after_])).id, 'approve'])

/** Each with its answer. The group has an address, a grant of two tools and limits of its own. */
const cases: readonly [what: string, kind: string, after: object, state: ChangeState][] = [
  ['a lower limit', 'permissions', { limits: { memoryMiB: 64 } }, 'applied'],
  ['a higher limit', 'permissions', { limits: { memoryMiB: 4096 } }, 'approved'],
  ['a lower and a higher limit', 'permissions', { limits: { memoryMiB: 64, cpus: 8 } }, 'approved'],
  ['the first limit of tokens', 'permissions', { limits: { modelTokensPerDay: 1 } }, 'applied'],
  ['members where everybody was let in', 'permissions', { members: [{ channel: 'slack', user: 'U1' }] }, 'applied'],
  ['no provider tools', 'permissions', { providerTools: [] }, 'applied'],
  ['fewer built-in tools', 'tools', { enabled: ['read_file'] }, 'applied'],
  ['another built-in tool', 'tools', { enabled: ['run_script'] }, 'approved'],
  ['an address taken away', 'wiring', { remove: { channel: 'slack', address: 'C' } }, 'applied'],
  ['another address', 'wiring', { channel: 'slack', address: 'D', engage: 'mention', session: 'shared' }, 'approved'],
  ['no packages', 'packages', { npm: [] }, 'applied'],
  ['no mounts', 'mounts', { mounts: [] }, 'applied'],
  ['a revocation', 'mcp_revoke', { server: 'sample', tools: ['echo'] }, 'applied'],
  ['a smaller grant, which counts and pins anew', 'mcp_access', { server: 'sample', tools: ['add'] }, 'approved'],
  ['a persona', 'persona', { instructions: 'other' }, 'approved'],
  ['the end of the group', 'agent_remove', {}, 'approved'],
]

for (const [index, [what, kind, after_, state]] of cases.entries())
  test(`under a freeze an approval of ${what} leads to ${state}`, async () => {
    const name = `f${index}`
    await createGroup(unit, name)
    const place = { channel: 'slack', address: kind === 'wiring' ? 'C' : `C${index}` }
    await carry(unit, ['wiring', name, { ...place, engage: 'mention', session: 'shared' }])
    await carry(unit, ['mcp_access', name, { server: 'sample', tools: ['echo', 'add'] }])
    await freeze(name)
    assert.equal((await approve(name, kind, after_)).state, state)
    if (kind === 'wiring' && state !== 'applied') await carry(unit, ['wiring', name, { remove: place }])
    assert.ok((await groups(unit)).some(({ id }) => id === name))
  })

test('a limit that is lowered under a freeze is in force', async () => {
  await createGroup(unit, 'lowered')
  await carry(unit, ['permissions', 'lowered', { limits: { memoryMiB: 1024 } }])
  await freeze('lowered')
  await approve('lowered', 'permissions', { limits: { memoryMiB: 512 } })
  assert.equal((await groups(unit)).find(({ id }) => id === 'lowered')?.limits.memoryMiB, 512)
})
