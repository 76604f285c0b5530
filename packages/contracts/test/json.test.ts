// Members whose names others choose: kept, or refused with a reason, and never lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import {
  CatalogEntry,
  Catalog,
  Change,
  dictionary,
  Grant,
  isDeeperThan,
  JsonObject,
  LiveGrant,
  McpAccess,
  McpRegister,
  ServerName,
  ToolCall,
  ToolDefinition,
} from '../src/index.ts'

const lost = ['__proto__', 'constructor', 'prototype']
const digest = 'ab'.repeat(32)
/** As it comes from JSON: a member of its own, whatever its name. */
const named = (name: string, value: unknown): Record<string, unknown> =>
  JSON.parse(`{"first":${JSON.stringify(value)},${JSON.stringify(name)}:${JSON.stringify(value)}}`) as Record<string, unknown>
const issuesOf = (schema: v.GenericSchema, value: unknown) =>
  (v.safeParse(schema, value).issues ?? []).map((issue) => [v.getDotPath(issue), issue.message])
const reason = 'expected a name other than __proto__, constructor or prototype'

const grant = {
  agentGroupID: 'a',
  server: 'sample',
  tools: [],
  changeID: 'chg_20260102030405.678000000',
  grantedAt: '2026-01-02T03:04:05Z',
}
const entry = { transport: 'stdio', command: 'node' }

for (const name of lost) {
  test(`refuses ${name} wherever it would name a server, a tool, a variable, a header or a pin`, () => {
    assert.deepEqual(issuesOf(CatalogEntry, { ...entry, env: named(name, 'x') }), [[`env.${name}`, reason]])
    assert.deepEqual(issuesOf(CatalogEntry, { transport: 'http', url: 'https://a.example', headers: named(name, 'x') }), [
      [`headers.${name}`, reason],
    ])
    assert.deepEqual(issuesOf(McpRegister, { name: 'sample', ...entry, env: named(name, 'x') }), [[`env.${name}`, reason]])
    assert.deepEqual(issuesOf(Catalog, named(name, entry)), [[name, reason]])
    assert.deepEqual(issuesOf(McpAccess, { server: 'sample', tools: ['echo', name] }), [['tools.1', reason]])
    assert.ok(!v.is(ServerName, name))
    assert.deepEqual(issuesOf(Grant, { ...grant, state: 'active', pins: named(name, digest) }), [['pins.'.concat(name), reason]])
    assert.deepEqual(issuesOf(LiveGrant, { server: 'sample', tools: [], pins: named(name, digest) }), [['pins.'.concat(name), reason]])
  })

  test(`keeps ${name} in a schema, in arguments and in what a change asks for`, () => {
    const inputSchema = named(name, { type: 'string' })
    assert.deepEqual(Object.keys(v.parse(ToolDefinition, { name: 'echo', inputSchema }).inputSchema), ['first', name])
    assert.deepEqual(Object.keys(v.parse(ToolCall, { name: 'a__b', arguments: inputSchema }).arguments), ['first', name])
    assert.deepEqual(Object.keys(v.parse(Change.entries.after, inputSchema)), ['first', name])
  })
}

test('takes every other name, and refuses a list where an object is expected', () => {
  const pins = dictionary(v.string(), v.string())
  assert.deepEqual(v.parse(pins, { toString: 'x', hasOwnProperty: 'y' }), { toString: 'x', hasOwnProperty: 'y' })
  for (const value of [[], ['x'], null, 'x', 1]) assert.ok(!v.is(JsonObject, value), JSON.stringify(value))
  assert.deepEqual(issuesOf(pins, { a: 1 }).length, 1)
})

test('counts the levels of a value', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((most) => isDeeperThan({ a: [{}] }, most)),
    [true, true, true, false],
  )
  assert.ok(!isDeeperThan('text', 0))
})
