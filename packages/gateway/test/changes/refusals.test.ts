// What is refused, by which code and rule, and that nothing is left behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carry, createGroup, decide, fails, grants, groups, read, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit, removeDirectory } from '../fixtures/unit.ts'

const unit = await openTestUnit()
await createGroup(unit, 'dev-agent')
await createGroup(unit, 'other')
await putServer(unit, 'sample')
await putServer(unit, 'wide')
await carry(unit, ['mcp_access', 'dev-agent', { server: 'sample', tools: ['echo'] }])
await carry(unit, ['mcp_access', 'dev-agent', { server: 'wide', tools: [] }])

const everything = async (): Promise<string> =>
  JSON.stringify([
    await groups(unit),
    await grants(unit),
    await audit(unit),
    await unit.gateway.controlPlane.pending({ token, limit: 200 }, context),
    await unit.gateway.controlPlane.history({ token, limit: 200 }, context),
  ])

const access = (server: unknown, tools: unknown = ['echo'], more: object = {}) => ({ server, tools, ...more })

const malformed: readonly [what: string, kind: string, group: string, after: unknown, code: string, pointer: string | undefined][] = [
  ['an unknown kind', 'mcp_acces', 'dev-agent', {}, 'invalid', '/kind'],
  ['a kind named like a member of every object', 'constructor', 'dev-agent', {}, 'invalid', '/kind'],
  ['an unknown group', 'persona', 'nobody', { instructions: 'x' }, 'not-found', undefined],
  ['a group id that cannot be', 'persona', '../../etc', { instructions: 'x' }, 'not-found', undefined],
  ['no after', 'persona', 'dev-agent', undefined, 'invalid', '/after'],
  ['null after', 'persona', 'dev-agent', null, 'invalid', '/after'],
  ['a list as after', 'persona', 'dev-agent', [], 'invalid', '/after/instructions'],
  ['an unknown member', 'persona', 'dev-agent', { instructions: 'x', extra: 1 }, 'invalid', '/after/extra'],
  ['a missing member', 'persona', 'dev-agent', {}, 'invalid', '/after/instructions'],
  ['instructions that are no text', 'persona', 'dev-agent', { instructions: 7 }, 'invalid', '/after/instructions'],
  ['instructions over 64 KiB', 'persona', 'dev-agent', { instructions: 'x'.repeat(64 * 1024 + 1) }, 'invalid', '/after/instructions'],
  ['a lone surrogate', 'persona', 'dev-agent', { instructions: 'a\ud800b' }, 'invalid', '/after/instructions'],
  ['controls that would outgrow an after', 'persona', 'dev-agent', { instructions: '\u0001'.repeat(64 * 1024) }, 'too-large', undefined],
  ['a server name with two underscores', 'mcp_access', 'dev-agent', access('a__b'), 'invalid', '/after/server'],
  ['a server name with two underscores', 'mcp_access', 'dev-agent', access('a__b'), 'invalid', '/after/server'],
  ['tools that are no list', 'mcp_access', 'dev-agent', access('sample', 'echo'), 'invalid', '/after/tools'],
  ['an empty tool name', 'mcp_access', 'dev-agent', access('sample', ['']), 'invalid', '/after/tools/0'],
  ['more than a thousand tools', 'mcp_access', 'dev-agent', access('sample', Array(1001).fill('a')), 'invalid', '/after/tools'],
  ['a grant of no calls at all', 'mcp_access', 'dev-agent', access('sample', [], { maxCalls: 0 }), 'invalid', '/after/maxCalls'],
  ['a revocation of no names', 'mcp_revoke', 'dev-agent', access('sample', []), 'invalid', '/after/tools'],
  ['an agent of an unknown make', 'agent_create', 'new', { id: 'new', name: 'x', agent: 'human' }, 'invalid', '/after/agent'],
  ['a new group under another id', 'agent_create', 'new', { id: 'newer', name: 'x', agent: 'mock' }, 'invalid', '/agentGroupID'],
  ['a new group of an id that cannot be', 'agent_create', 'Bad Id', { id: 'Bad Id', name: 'x', agent: 'mock' }, 'invalid', '/after/id'],
]

for (const [what, kind, group, given, code, pointer] of malformed) {
  test(`refuses ${what} with ${code} and stores nothing`, async () => {
    const before = await everything()
    const error = await fails(submit(unit, [kind, group, given]))
    assert.equal(error.code, code)
    if (pointer !== undefined)
      assert.ok(
        error.errors?.some((issue) => issue.pointer === pointer),
        JSON.stringify(error.errors),
      )
    assert.equal(await everything(), before)
  })
}

const refused: readonly [what: string, kind: string, group: string, after: unknown, rule: string][] = [
  ['a group that exists', 'agent_create', 'other', { id: 'other', name: 'x', agent: 'mock' }, 'group-exists'],
  ['a server that is not configured', 'mcp_access', 'dev-agent', access('absent'), 'server-not-configured'],
  ['revoking what was never granted', 'mcp_revoke', 'other', { server: 'sample' }, 'no-grant'],
  ['revoking by name what was granted whole', 'mcp_revoke', 'dev-agent', { server: 'wide', tools: ['echo'] }, 'grant-covers-all'],
  ['revoking a tool that the grant does not name', 'mcp_revoke', 'dev-agent', { server: 'sample', tools: ['add'] }, 'not-in-grant'],
]

for (const [what, kind, group, given, rule] of refused) {
  test(`the verifier refuses ${what} by the rule ${rule}, and history keeps it`, async () => {
    const before = JSON.stringify([await groups(unit), await grants(unit)])
    const error = await fails(submit(unit, [kind, group, given], { reason: 'why not' }))
    assert.equal(error.code, 'change-refused')
    assert.equal(error.extra?.['rule'], rule)
    const id = error.extra?.['changeID'] ?? ''
    const change = await read(unit, id)
    assert.equal(change.state, 'refused')
    assert.equal(change.failure?.rule, rule)
    assert.equal(change.failure?.reason, error.detail)
    assert.equal((await audit(unit)).at(-1)?.stage, 'refuse')
    assert.equal((await unit.gateway.controlPlane.history({ token, limit: 1 }, context)).items[0]?.id, id)
    assert.equal((await fails(decide(unit, [id, 'approve']))).code, 'change-already-decided')
    assert.equal(JSON.stringify([await groups(unit), await grants(unit)]), before)
  })
}

test('refuses a label that is empty, too long or no text', async () => {
  for (const requestedBy of ['', 'x'.repeat(129), 'a\udc00']) {
    const error = await fails(submit(unit, ['persona', 'dev-agent', { instructions: 'x' }], { requestedBy }))
    assert.equal(error.errors?.[0]?.pointer, '/requestedBy')
  }
  const { id } = await submit(unit, ['persona', 'dev-agent', { instructions: 'x' }])
  assert.equal((await fails(decide(unit, [id, 'approve'], { decidedBy: '' }))).errors?.[0]?.pointer, '/decidedBy')
  assert.equal((await fails(decide(unit, [id, 'approve'], { reason: 'x'.repeat(5000) }))).errors?.[0]?.pointer, '/reason')
  assert.equal((await read(unit, id)).state, 'held')
  await decide(unit, [id, 'reject'])
})

test('an error never repeats what was sent', async () => {
  const error = await fails(submit(unit, ['agent_create', 'new', { id: 'new', name: 'x', agent: 'hunter2-hunter2' }]))
  assert.ok(!JSON.stringify([error.detail, error.errors]).includes('hunter2'))
})

test('a change that does not exist cannot be read or decided', async () => {
  assert.equal((await fails(read(unit, 'chg_20260101000000.000000000'))).code, 'not-found')
  assert.equal((await fails(decide(unit, ['chg_20260101000000.000000000', 'approve']))).code, 'not-found')
})

test('on a unit without tool servers mcp_access is refused and the catalog is disabled', async () => {
  const bare = await openUnit({ boot: { catalog: null } })
  try {
    await createGroup(bare, 'dev-agent')
    const error = await fails(submit(bare, ['mcp_access', 'dev-agent', { server: 'sample', tools: [] }]))
    assert.equal(error.code, 'change-refused')
    assert.equal(error.extra?.['rule'], 'mcp-disabled')
    assert.equal((await fails(putServer(bare, 'sample'))).code, 'mcp-disabled')
    assert.equal((await fails(() => bare.gateway.controlPlane.servers({ token }, context))).code, 'mcp-disabled')
  } finally {
    await bare.close()
    await removeDirectory(bare.dir)
  }
})
