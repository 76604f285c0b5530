// What a server may be seen to declare: nothing that could not be pinned by its name, shown, or read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, type ToolDefinition } from '@gatehouse/contracts'
import { list, tool } from '../fixtures/listing.ts'
import { carry, createGroup, fails, token } from '../fixtures/people.ts'
import { authorize, openSession, putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let unit = await openTestUnit()
await createGroup(unit, 'g')
await putServer(unit, 'sample')

/** Objects in objects, so many levels in all. */
const deep = (levels: number): Record<string, unknown> => {
  let schema = {}
  for (let level = 1; level < levels; level += 1) schema = { not: schema }
  return schema
}
const refused = async (tools: ToolDefinition[]): Promise<[string, string]> => {
  const { code, detail } = await fails(list(unit, 'sample', tools))
  return [code, detail]
}

test('a tool whose pin would be lost is none', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const [code, detail] = await refused([tool('echo'), tool(name)])
    assert.deepEqual([code, detail.includes('cannot be named __proto__')], ['invalid', true], name)
  }
})

test('a definition that is nested deeper than a request may be is none', async () => {
  await list(unit, 'sample', [tool('echo', { inputSchema: deep(limits.jsonDepth - 1) })])
  for (const levels of [limits.jsonDepth, 1_500]) {
    const [code, detail] = await refused([tool('echo', { inputSchema: deep(levels) })])
    assert.deepEqual([code, detail.includes(`deeper than ${limits.jsonDepth} levels`)], ['invalid', true])
  }
})

test('a member of any name counts: a schema that differs in nothing but `constructor` is another one, also after a restart', async () => {
  const schema = (type: string) => tool('build', { inputSchema: { type: 'object', constructor: { type } } })
  await list(unit, 'sample', [schema('string')])
  await carry(unit, ['mcp_access', 'g', { server: 'sample', tools: [] }])
  const session = (await openSession(unit, 'g')).id
  assert.equal((await authorize(unit, session, ['sample', 'build'])).allowed, true)
  await list(unit, 'sample', [schema('number')])
  const { dir } = unit
  assert.equal((await authorize(unit, session, ['sample', 'build'])).allowed, false)
  await unit.close()
  unit = await openUnit({ dir })
  assert.equal((await authorize(unit, session, ['sample', 'build'])).allowed, false)
  await list(unit, 'sample', [schema('string')])
  assert.equal((await authorize(unit, session, ['sample', 'build'])).allowed, true)
})

test('people read what a server declared last under its present entry, and nothing of an entry before it', async () => {
  const { controlPlane } = unit.gateway
  const name = server('shown')
  await putServer(unit, 'shown')
  assert.deepEqual(await controlPlane.declaredTools({ token, name }, context), { tools: [] })
  await list(unit, 'shown', [tool('echo'), tool('add')])
  const { at, tools } = await controlPlane.declaredTools({ token, name }, context)
  assert.deepEqual([typeof at, tools.map((one) => one.name)], ['string', ['echo', 'add']])
  await putServer(unit, 'shown', { ...stdio, args: ['another'] })
  assert.deepEqual(await controlPlane.declaredTools({ token, name }, context), { tools: [] })
})
