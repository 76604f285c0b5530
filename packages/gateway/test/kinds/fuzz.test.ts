// Whatever is sent is refused with a pointer or judged to the end: no kind throws on an input of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinTools, isServiceError, type Kind, kindNames, visible } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import { ask, draftOf, makeGrant, makeWired, makeContext } from '../fixtures/change-context.ts'

const Text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'sample',
    'slack',
    'all',
    'pattern',
    'mention',
    'shared',
    '/srv/a',
    '/',
    '/mnt/a',
    'ro',
    'rw',
    'mock',
    'model',
    'a',
    'stdio',
    'http',
  ),
  fc.constantFrom('https://a.example/', 'http://x', '${A}', '(', '.*', '../..', ...builtinTools),
)
const Value = fc.oneof(
  { maxDepth: 2 },
  Text,
  fc.integer(),
  fc.constant(null),
  fc.boolean(),
  fc.array(Text, { maxLength: 3 }),
  fc.dictionary(Text, Text, { maxKeys: 3 }),
)
const names =
  'id name agent persona model instructions enabled channel address engage pattern session remove members limits providerTools mounts server tools expiresAt maxCalls transport command args env url headers'.split(
    ' ',
  )
const Members = fc.dictionary(fc.constantFrom(...names), Value, { maxKeys: 8 })

/** Close enough to what is right to reach the verifier. */
const likely: Readonly<Record<Kind, fc.Arbitrary<unknown>>> = {
  agent_create: fc.record({ id: Text, name: Text, agent: Text, persona: Text }, { requiredKeys: ['id', 'name', 'agent'] }),
  agent_remove: fc.constant({}),
  persona: fc.record({ instructions: Text }),
  tools: fc.record({ enabled: fc.array(Text) }),
  wiring: fc.record(
    { channel: Text, address: Text, engage: Text, session: Text, pattern: Text },
    { requiredKeys: ['channel', 'address', 'engage', 'session'] },
  ),
  permissions: fc.record({
    limits: fc.dictionary(fc.constantFrom('cpus', 'memoryMiB', 'processes'), fc.integer({ min: 1, max: 4096 })),
    providerTools: fc.array(Text),
  }),
  packages: fc.record({ npm: fc.array(Text, { maxLength: 3 }) }),
  mounts: fc.record({ mounts: fc.array(fc.record({ source: Text, target: Text, mode: Text }), { maxLength: 3 }) }),
  mcp_access: fc.record(
    { server: Text, tools: fc.array(Text), expiresAt: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
    { requiredKeys: ['server', 'tools'] },
  ),
  mcp_revoke: fc.record({ server: Text, tools: fc.array(Text) }, { requiredKeys: ['server'] }),
  mcp_register: fc.oneof(
    fc.record({
      name: Text,
      transport: fc.constant('stdio'),
      command: Text,
      args: fc.array(Text),
      env: fc.dictionary(fc.constantFrom('A', 'B'), Text),
    }),
    fc.record({ name: Text, transport: fc.constant('http'), url: Text, headers: fc.dictionary(fc.constantFrom('a', 'b'), Text) }),
  ),
}

const context = makeContext({ grants: [makeGrant('sample', { tools: ['a'] })], wirings: [makeWired('a')] })

/** Whether it was refused by its schema. */
const judge = (kind: Kind, after: unknown): boolean => {
  try {
    const bound = ask(kind, after)
    const failure = bound.verify({ context, evidence: null })
    const draft = draftOf(kind, after, { context })
    assert.equal(draft.summary, visible(draft.summary))
    if (failure !== undefined) assert.ok(failure.rule !== '' && failure.reason !== '')
    bound.invert(draft.before)
    bound.requiredEvidence(context)
    return false
  } catch (error) {
    assert.ok(isServiceError(error) && error.code === 'invalid', String(error))
    assert.ok(error.errors?.every(({ pointer }) => pointer.startsWith('/after')))
    return true
  }
}

for (const kind of kindNames) {
  test(`${kind} answers to anything`, () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), Members), (after) => void judge(kind, JSON.parse(JSON.stringify(after) ?? 'null'))),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(likely[kind], (after) => void judge(kind, after)),
      { numRuns: 400 },
    )
  })
}
