// Each kind applied and undone: the slice is what it was, and undoing is a change like any other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultTools, type Kind, kindNames, type Evidence } from '@gatehouse/contracts'
import { kindTable } from '../../src/kinds/index.ts'
import type { ChangeContext } from '../../src/state/unit-config.ts'
import {
  applied,
  ask,
  makeGrant,
  makeGroup,
  makeWired,
  makeContext,
  observed,
  resolvedTree,
  stamp,
  tool,
} from '../fixtures/change-context.ts'

interface Case {
  readonly what: string
  readonly kind: Kind
  readonly after: object
  readonly context?: Partial<ChangeContext>
  readonly evidence?: Evidence
  /** Undefined where nothing undoes it. */
  readonly inverse: Kind | undefined
}

const place = { channel: 'slack', address: '#general' }
const sighted: Evidence = {
  status: 'sighted',
  at: stamp.at,
  age: 0,
  mounts: [{ source: '/srv/a', real: '/srv/a', type: 'directory', device: '7', inode: '8' }],
}
const named = makeGrant('sample', { tools: ['echo', 'add'], expiresAt: '2027-01-01T00:00:00.000Z', maxCalls: 9 })

const cases: readonly Case[] = [
  {
    what: 'a new group',
    kind: 'agent_create',
    after: { id: 'a', name: 'A', agent: 'mock' },
    context: { group: undefined },
    inverse: 'agent_remove',
  },
  {
    what: 'the end of a group',
    kind: 'agent_remove',
    after: {},
    context: { group: makeGroup({ agent: 'mock' }) },
    inverse: 'agent_create',
  },
  {
    what: 'the end of a group with a model',
    kind: 'agent_remove',
    after: {},
    context: { group: makeGroup({ model: { provider: 'p', id: 'm' } }) },
    inverse: 'agent_create',
  },
  { what: 'a persona', kind: 'persona', after: { instructions: 'be bold' }, inverse: 'persona' },
  { what: 'built-in tools', kind: 'tools', after: { enabled: ['run_script'] }, inverse: 'tools' },
  { what: 'a new wiring', kind: 'wiring', after: { ...place, engage: 'all', session: 'thread' }, inverse: 'wiring' },
  {
    what: 'a wiring in place of another',
    kind: 'wiring',
    after: { ...place, engage: 'all', session: 'thread' },
    context: { wirings: [makeWired('#general', { engage: 'pattern', pattern: '^!' })] },
    inverse: 'wiring',
  },
  {
    what: 'the end of a wiring',
    kind: 'wiring',
    after: { remove: place },
    context: { wirings: [makeWired('#general')] },
    inverse: 'wiring',
  },
  { what: 'members', kind: 'permissions', after: { members: [{ channel: 'email', user: 'a@b.c' }] }, inverse: 'permissions' },
  {
    what: 'another model',
    kind: 'permissions',
    after: { model: { provider: 'p', id: 'new' } },
    context: { group: makeGroup({ model: { provider: 'p', id: 'old' } }) },
    inverse: 'permissions',
  },
  { what: 'a first model', kind: 'permissions', after: { model: { provider: 'p', id: 'new' } }, inverse: undefined },
  {
    what: 'a limit in place of another',
    kind: 'permissions',
    after: { limits: { modelTokensPerDay: 5 } },
    context: { group: makeGroup({ limits: { modelTokensPerDay: 4, cpus: 2 } }) },
    inverse: 'permissions',
  },
  { what: 'a first limit of tokens', kind: 'permissions', after: { limits: { modelTokensPerDay: 5 } }, inverse: undefined },
  { what: 'tools at the provider', kind: 'permissions', after: { providerTools: ['web_search'] }, inverse: 'permissions' },
  {
    what: 'mounts',
    kind: 'mounts',
    after: { mounts: [{ source: '/srv/a', target: '/mnt/a', mode: 'ro' }] },
    evidence: sighted,
    inverse: 'mounts',
  },
  {
    what: 'packages',
    kind: 'packages',
    after: { npm: ['is-odd@3.0.1'] },
    evidence: resolvedTree(['is-odd@3.0.1']),
    inverse: 'packages',
  },
  {
    what: 'the end of packages',
    kind: 'packages',
    after: { npm: [] },
    inverse: 'packages',
  },
  {
    what: 'a first grant',
    kind: 'mcp_access',
    after: { server: 'sample', tools: ['echo'] },
    evidence: observed('sample', [tool('echo')]),
    inverse: 'mcp_revoke',
  },
  {
    what: 'a grant in place of another',
    kind: 'mcp_access',
    after: { server: 'sample', tools: [] },
    context: { grants: [named] },
    evidence: observed('sample', [tool('echo')]),
    inverse: 'mcp_access',
  },
  { what: 'the end of a grant', kind: 'mcp_revoke', after: { server: 'sample' }, context: { grants: [named] }, inverse: 'mcp_access' },
  {
    what: 'the end of a tool of a grant',
    kind: 'mcp_revoke',
    after: { server: 'sample', tools: ['add', 'absent'] },
    context: { grants: [named] },
    inverse: 'mcp_access',
  },
  { what: 'a new server', kind: 'mcp_register', after: { name: 'new', transport: 'stdio', command: '/bin/cat' }, inverse: undefined },
]

for (const { what, kind, after, context: more = {}, evidence = null, inverse } of cases) {
  test(`${kind}: ${what} is applied as it was shown, and undone by ${inverse ?? 'nothing'}`, () => {
    const context = makeContext(more)
    const bound = ask(kind, after)
    const input = { context, evidence }
    assert.equal(bound.verify(input), undefined)
    const before = bound.slice(context)
    const next = applied(context, bound.apply(input, stamp))
    if (kind === 'agent_remove') assert.equal(next.group, undefined)
    else if (kind !== 'agent_create' && kind !== 'mcp_register') assert.deepEqual(bound.slice(next), bound.outcome(input))
    const undo = bound.invert(before)
    assert.equal(undo?.kind, inverse)
    if (undo === undefined) return
    const undoing = ask(undo.kind, undo.after)
    const back = { context: next, evidence: null }
    assert.equal(undoing.verify(back), undefined)
    const last = applied(next, undoing.apply(back, stamp))
    if (kind === 'agent_remove') {
      const core = ({ group }: ChangeContext) => [group?.id, group?.name, group?.agent, group?.persona, group?.model]
      assert.deepEqual(core(last), core(context))
    } else if (kind === 'agent_create') assert.equal(last.group, undefined)
    else assert.deepEqual(bound.slice(last), before)
  })
}

test('every kind is in the table, under its own name', () => {
  assert.deepEqual(Object.keys(kindTable).toSorted(), [...kindNames].toSorted())
  assert.deepEqual([...new Set(cases.map(({ kind }) => kind))].toSorted(), [...kindNames].toSorted())
})

test('a first limit that has a standard is undone by the standard', () => {
  const bound = ask('permissions', { limits: { memoryMiB: 4096, cpus: 2 } })
  assert.deepEqual(bound.invert(bound.slice(makeContext())), { kind: 'permissions', after: { limits: { memoryMiB: 512, cpus: 1 } } })
})

test('limits that are not named stay', () => {
  const context = makeContext({ group: makeGroup({ limits: { cpus: 2, processes: 9 } }) })
  const effect = ask('permissions', { limits: { cpus: 1 } }).apply({ context, evidence: null }, stamp)
  assert.ok(effect.type === 'group')
  assert.deepEqual(effect.group.limits, { cpus: 1, processes: 9 })
})

test('the tools without which an agent could neither answer nor ask stay on, and the list is in the order of the table', () => {
  const effect = ask('tools', { enabled: ['search', 'read_file'] }).apply({ context: makeContext(), evidence: null }, stamp)
  assert.ok(effect.type === 'group')
  assert.deepEqual(effect.group.tools, ['read_file', 'search', 'send_message', 'request_capability_change'])
})

test('a new group begins with the standard tools and with nothing else', () => {
  const effect = ask('agent_create', { id: 'a', name: 'A', agent: 'mock' }).apply({ context: makeContext(), evidence: null }, stamp)
  assert.ok(effect.type === 'group')
  const { tools, members, limits, providerTools, mounts, origin } = effect.group
  assert.deepEqual(
    { tools, members, limits, providerTools, mounts, origin },
    { tools: [...defaultTools], members: [], limits: {}, providerTools: [], mounts: [], origin: stamp.changeID },
  )
})

test('a mount is pinned to the device and inode that the approver was shown', () => {
  const input = { context: makeContext(), evidence: sighted }
  const effect = ask('mounts', { mounts: [{ source: '/srv/a', target: '/mnt/a', mode: 'rw' }] }).apply(input, stamp)
  assert.ok(effect.type === 'group')
  assert.deepEqual(effect.group.mounts, [{ source: '/srv/a', target: '/mnt/a', mode: 'rw', device: '7', inode: '8' }])
})
