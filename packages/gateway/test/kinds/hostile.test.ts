// Texts that try to be read as something else: what is hashed, kept and applied is what was sent, what is shown hides nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kind, usableName, visible } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { ChangeContext } from '../../src/state/unit-config.ts'
import { hostile } from '../fixtures/hostile.ts'
import { ask, draftOf, makeGrant, makeGroup, makeWired, makeContext, stamp } from '../fixtures/change-context.ts'

interface Field {
  readonly name: string
  readonly kind: Kind
  after(text: string): object
  context?(text: string): Partial<ChangeContext>
}

const wired = { channel: 'slack', engage: 'mention', session: 'shared' }

const fields: readonly Field[] = [
  {
    name: 'the name of a group',
    kind: 'agent_create',
    after: (name) => ({ id: 'b', name, agent: 'mock' }),
    context: () => ({ group: undefined }),
  },
  {
    name: 'the persona of a new group',
    kind: 'agent_create',
    after: (persona) => ({ id: 'b', name: 'b', agent: 'mock', persona }),
    context: () => ({ group: undefined }),
  },
  { name: 'a persona', kind: 'persona', after: (instructions) => ({ instructions }) },
  { name: 'the name of a tool', kind: 'mcp_access', after: (tool) => ({ server: 'sample', tools: [tool] }) },
  {
    name: 'the name of a revoked tool',
    kind: 'mcp_revoke',
    after: (tool) => ({ server: 'sample', tools: [tool] }),
    context: (tool) => ({ grants: [makeGrant('sample', { tools: [tool, 'other'] })] }),
  },
  { name: 'an address', kind: 'wiring', after: (address) => ({ ...wired, address }) },
  {
    name: 'an address that goes',
    kind: 'wiring',
    after: (address) => ({ remove: { channel: 'slack', address } }),
    context: (address) => ({ wirings: [makeWired(address)] }),
  },
  { name: 'a pattern', kind: 'wiring', after: (pattern) => ({ ...wired, address: 'x', engage: 'pattern', pattern }) },
  { name: 'a member', kind: 'permissions', after: (user) => ({ members: [{ channel: 'slack', user }] }) },
  { name: 'the name of a group that goes', kind: 'agent_remove', after: () => ({}), context: (name) => ({ group: makeGroup({ name }) }) },
  {
    name: 'the source of a mount',
    kind: 'mounts',
    after: (text) => ({ mounts: [{ source: `/srv/${text}`, target: '/mnt/a', mode: 'ro' }] }),
  },
  { name: 'a command', kind: 'mcp_register', after: (command) => ({ name: 'new', transport: 'stdio', command, args: [], env: {} }) },
  { name: 'an argument', kind: 'mcp_register', after: (arg) => ({ name: 'new', transport: 'stdio', command: 'x', args: [arg], env: {} }) },
]

const UsableName = v.pipe(v.string(), usableName)

/** A path has no NUL, and what is granted by name is no name that a record would lose. */
const fits = (field: Field, text: string): boolean => {
  if (field.kind === 'mounts') return !text.includes('\0')
  return field.kind !== 'mcp_access' || v.is(UsableName, text)
}

test('there are as many hostile texts as were promised, each once', () => {
  assert.ok(hostile.length >= 120, `${hostile.length}`)
  assert.equal(new Set(hostile).size, hostile.length)
})

for (const field of fields) {
  test(`${field.name}: what is kept and hashed is what was sent, and the summary hides nothing`, () => {
    const texts = hostile.filter((text) => fits(field, text))
    const digests = new Set<string>()
    for (const text of texts) {
      const context = makeContext(field.context?.(text) ?? {})
      const after = field.after(text)
      const bound = ask(field.kind, after)
      assert.equal(canonical(bound.after), canonical(after))
      assert.equal(canonical(bound.approvable), canonical(after))
      const draft = draftOf(field.kind, after, { context })
      digests.add(draft.digest)
      assert.equal(draft.summary, visible(draft.summary))
      assert.ok(!/[\n\r\t]/.test(draft.summary), 'a summary is one line')
    }
    assert.equal(digests.size, texts.length)
  })
}

test('what is applied holds the text as it was sent', () => {
  for (const field of fields) {
    if (field.kind === 'agent_remove' || field.kind === 'mcp_register' || field.kind === 'mcp_revoke') continue
    for (const text of hostile.filter((item) => fits(field, item))) {
      const context = makeContext(field.context?.(text) ?? {})
      const effect = ask(field.kind, field.after(text)).apply({ context, evidence: null }, stamp)
      const texts: string[] = []
      JSON.stringify(effect, (_name, value: unknown) => (typeof value === 'string' ? (texts.push(value), value) : value))
      assert.ok(texts.includes(field.kind === 'mounts' ? `/srv/${text}` : text), `${field.name}: ${JSON.stringify(text)}`)
    }
  }
})

test('a refusal shows no hidden character either', () => {
  for (const text of hostile) {
    for (const field of fields) {
      if (!fits(field, text)) continue
      const failure = ask(field.kind, field.after(text)).verify({ context: makeContext(field.context?.(text) ?? {}), evidence: null })
      if (failure !== undefined) assert.equal(failure.reason, visible(failure.reason))
    }
  }
})
