// The risk of each kind, row by row as the contract's table has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Evidence, type Kind, kindNames, kinds, type Risk } from '@gatehouse/contracts'
import type { ChangeContext } from '../../src/state/unit-config.ts'
import { ask, makeGrant, makeGroup, makeWired, makeContext, observed, resolvedTree, stamp, tool } from '../fixtures/change-context.ts'

const place = { channel: 'slack', address: '#general', session: 'shared' }
const members = [{ channel: 'slack' as const, user: 'U1' }]
const known = { group: makeGroup({ members }) }
const limited = { group: makeGroup({ limits: { memoryMiB: 1024, modelTokensPerDay: 10 }, providerTools: ['web'] }) }
const mount = (mode: string) => ({ mounts: [{ source: '/srv/a', target: '/mnt/a', mode }] })
const sighted: Evidence = { status: 'sighted', at: stamp.at, age: 0, mounts: [{ source: '/srv/a', real: '/srv/a', type: 'directory' }] }
const echo = { server: 'sample', tools: ['echo'] }
const wipe = tool('echo', { annotations: { destructiveHint: true } })

const rows: readonly [
  what: string,
  kind: Kind,
  after: object,
  risk: Risk,
  seen?: { context?: Partial<ChangeContext>; evidence?: Evidence },
][] = [
  ['a new group', 'agent_create', { id: 'b', name: 'b', agent: 'mock' }, 'low'],
  ['the end of a group', 'agent_remove', {}, 'medium'],
  ['a persona', 'persona', { instructions: 'x' }, 'medium'],
  ['built-in tools', 'tools', { enabled: ['run_script'] }, 'medium'],
  ['a wiring by mention', 'wiring', { ...place, engage: 'mention' }, 'medium'],
  // It would stop whoever runs it.
  ['a wiring by pattern', 'wiring', { ...place, engage: 'pattern', pattern: '(?:(a?)|(b?)){60}(?<=x)' }, 'high'],
  ['hearing everything among strangers', 'wiring', { ...place, engage: 'all' }, 'high'],
  ['a pattern among members', 'wiring', { ...place, engage: 'pattern', pattern: '.*' }, 'medium', { context: known }],
  ['hearing everything among members', 'wiring', { ...place, engage: 'all' }, 'medium', { context: known }],
  ['the end of a wiring', 'wiring', { remove: { channel: 'slack', address: 'x' } }, 'medium', { context: { wirings: [makeWired('x')] } }],
  ['members', 'permissions', { members }, 'medium'],
  ['another model', 'permissions', { model: { provider: 'p', id: 'm' } }, 'medium'],
  ['a limit above its own', 'permissions', { limits: { memoryMiB: 1025 } }, 'high', { context: limited }],
  ['a limit below its own', 'permissions', { limits: { memoryMiB: 1023 } }, 'medium', { context: limited }],
  ['a limit above the standard', 'permissions', { limits: { cpus: 1.5 } }, 'high'],
  ['a limit at the standard', 'permissions', { limits: { cpus: 1, processes: 64 } }, 'medium'],
  ['a first limit where there was none', 'permissions', { limits: { modelTokensPerDay: 1_000_000 } }, 'medium'],
  ['one limit up and one down', 'permissions', { limits: { memoryMiB: 64, modelTokensPerDay: 11 } }, 'high', { context: limited }],
  ['a new tool of the provider', 'permissions', { providerTools: ['web', 'code'] }, 'high', { context: limited }],
  ['fewer tools of the provider', 'permissions', { providerTools: [] }, 'medium', { context: limited }],
  ['a mount to read', 'mounts', mount('ro'), 'medium', { evidence: sighted }],
  ['a mount to write', 'mounts', mount('rw'), 'high', { evidence: sighted }],
  ['a mount that nobody saw', 'mounts', mount('ro'), 'high', { evidence: { status: 'unavailable', sources: ['/srv/a'] } }],
  ['packages', 'packages', { npm: ['is-odd@3.0.1'] }, 'high', { evidence: resolvedTree(['is-odd@3.0.1']) }],
  ['no packages any more', 'packages', { npm: [] }, 'medium'],
  ['no mounts at all', 'mounts', { mounts: [] }, 'medium'],
  ['tools that were seen', 'mcp_access', echo, 'medium', { evidence: observed('sample', [tool('echo')]) }],
  ['every tool', 'mcp_access', { server: 'sample', tools: [] }, 'high', { evidence: observed('sample', [tool('echo')]) }],
  ['a destructive tool', 'mcp_access', echo, 'high', { evidence: observed('sample', [wipe]) }],
  ['tools without evidence', 'mcp_access', echo, 'high', { evidence: { status: 'unavailable' } }],
  ['a tool that was not declared', 'mcp_access', echo, 'high', { evidence: observed('sample', [], { missing: ['echo'] }) }],
  [
    'a tool that is not what was pinned',
    'mcp_access',
    echo,
    'high',
    { evidence: observed('sample', [tool('echo')], { drift: [{ tool: 'echo' }] }) },
  ],
  ['a revocation', 'mcp_revoke', { server: 'sample' }, 'low', { context: { grants: [makeGrant('sample')] } }],
  ['a new server', 'mcp_register', { name: 'new', transport: 'stdio', command: 'x' }, 'high'],
]

for (const [what, kind, after, risk, { context = {}, evidence = null } = {}] of rows) {
  test(`${kind}: ${what} has the risk ${risk}`, () => {
    const input = { context: makeContext(context), evidence }
    assert.equal(ask(kind, after).risk(input), risk)
    assert.equal(ask(kind, after).why(input).length > 0, risk === 'high', 'a high risk says why, no other does')
  })
}

test('only a revocation counts as taking power away', () => {
  const narrowing = kindNames.filter((kind) => kinds[kind].narrowing)
  assert.deepEqual(narrowing, ['mcp_revoke'])
})
