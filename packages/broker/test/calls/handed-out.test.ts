// Whatever of a tool definition reaches an agent is part of what a grant pins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListedTool, ToolDefinition } from '@gatehouse/contracts'
import { definitionDigest } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { writeTool } from '../../src/calls/tool-text.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const runs = { numRuns: full ? 200_000 : 2_000 }

const listed = (tool: ToolDefinition): string => writeTool(`sample__${tool.name}`, 'sample', structuredClone(tool)).text

type Path = readonly (string | number)[]

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const pathsOf = (value: unknown, at: Path = []): Path[] =>
  isNode(value) ? [...(at.length > 0 ? [at] : []), ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]))] : [at]

/** Another value of the same shape at one place. */
const another = (value: unknown): unknown => {
  if (typeof value === 'string') return `${value} `
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return [...value, 'added']
  return isNode(value) ? { ...value, added: 'added' } : 'not null'
}

const changedAt = (tool: ToolDefinition, path: Path, change: (value: unknown) => unknown): ToolDefinition => {
  const copy = structuredClone(tool)
  const parent = path.slice(0, -1).reduce<unknown>((node, key) => (isNode(node) ? node[key] : undefined), copy)
  const key = path.at(-1) ?? ''
  assert.ok(isNode(parent))
  const value = change(parent[key])
  if (value === undefined) delete parent[key]
  else parent[key] = value
  return copy
}

const nested = {
  type: 'object',
  title: 'A title',
  description: 'A description\n\n  on three lines',
  properties: {
    name: { type: 'string', description: 'The name', default: { description: 'a  b', deep: [{ deeper: [1, true, null, 'x'] }] } },
  },
  required: ['name'],
}

/** With every field that a definition can have. */
const whole: Required<ToolDefinition> = {
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.\n  Twice.',
  inputSchema: nested,
  outputSchema: nested,
  annotations: { title: 'Echo', readOnlyHint: true, vendor: { title: 'x', description: 'y  z', list: [{ a: 1 }] } },
}

test('the sample has every field that a definition can have', () => {
  assert.deepEqual(Object.keys(whole).toSorted(), Object.keys(ToolDefinition.entries).toSorted())
  assert.deepEqual(Object.keys(JSON.parse(listed(whole))).toSorted(), Object.keys(ListedTool.entries).toSorted())
})

test('a change at any depth of any field that is handed out is drift, and so is its removal', () => {
  let seen = 0
  for (const path of pathsOf(whole))
    for (const change of [another, () => undefined]) {
      const changed = changedAt(whole, path, change)
      if (listed(changed) === listed(whole)) continue
      seen += 1
      assert.notEqual(definitionDigest(changed), definitionDigest(whole), path.join('/'))
    }
  assert.ok(seen > 60, `${seen} changes reached the agent`)
})

test('two definitions that an agent is handed differently never have the same digest', () => {
  const schema = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
  const definition = fc.record(
    { name: fc.string(), title: fc.string(), description: fc.string(), inputSchema: schema, outputSchema: schema, annotations: schema },
    { requiredKeys: ['name', 'inputSchema'], noNullPrototype: true },
  )
  const changes = fc.constantFrom(another, () => undefined)
  fc.assert(
    fc.property(definition, fc.nat(), changes, (tool, at, change) => {
      const paths = pathsOf(tool)
      const changed = changedAt(tool, paths[at % paths.length] ?? [], change)
      if (changed.name === undefined || changed.inputSchema === undefined) return
      if (listed(changed) !== listed(tool)) assert.notEqual(definitionDigest(changed), definitionDigest(tool))
    }),
    runs,
  )
})

test('the title, which is not handed out, does not count, and neither does an empty description', () => {
  const { title: _title, ...untitled } = whole
  assert.equal(definitionDigest(untitled), definitionDigest(whole))
  assert.equal(
    definitionDigest({ name: 'a', inputSchema: {}, description: '', annotations: {} }),
    definitionDigest({ name: 'a', inputSchema: {} }),
  )
})

test('a definition without any of what did not count before has the digest that it had', () => {
  const old = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
  assert.equal(definitionDigest(old), '790510958d237e103bdfa0b071fe22b9ee9394adabf1d26d7578055682223319')
})
