// gatehouse.yaml: how it is read and written, and what a hostile one or a hostile unit can do with it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AgentGroup, isServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { parse } from 'yaml'
import { buildDeclaration, toYaml } from '../../src/declaration/current.ts'
import { deepEqual, plainlySame } from '../../src/declaration/deep-equal.ts'
import { parseDeclaration } from '../../src/declaration/file.ts'
import { buildPlan } from '../../src/declaration/plan.ts'
import { change, hostile } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

const nothing = { groups: [], grants: [], wirings: [], servers: [], held: [] }
const groupOf = (persona: string) =>
  v.parse(AgentGroup, { id: 'alpha', name: 'Alpha', agent: 'mock', persona, createdAt: '2026-01-02T03:04:05.000Z', origin: 'seed' })

for (const [name, text, said] of [
  ['no YAML', 'version: [', /gatehouse\.yaml: /],
  ['a key that stands twice', 'version: 1\nversion: 1\n', /unique/],
  ['another version', 'version: 2\n', /\/version/],
  ['a member that nobody knows', 'version: 1\ngroup: {}\n', /\/group/],
  ['a name that is none', 'version: 1\ngroups:\n  "A b": { agent: mock }\n', /\/groups\/A b/],
  ['aliases that stand for a huge file', `version: 1\na: &a [x,x]\nb: &b [${'*a,'.repeat(60)}]\nc: [${'*b,'.repeat(60)}]\n`, /alias/],
] as const) {
  test(`a file with ${name} is refused with the place`, () => {
    assert.throws(
      () => parseDeclaration(text, 'gatehouse.yaml'),
      (error) =>
        !isServiceError(error) ||
        said.test(`${error.detail} ${(error.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`).join()}`),
    )
  })
}

test('what is written is read again, and nothing in it is obeyed or hidden', () => {
  const text = toYaml(buildDeclaration({ ...nothing, groups: [groupOf(`${hostile}\nsecond line\u2028third`)] }))
  assert.doesNotMatch(text, /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2028\u200B]/)
  const { groups } = parse(text) as { groups: { alpha: { persona: string } } }
  assert.equal(groups.alpha.persona, `${hostile}\nsecond line\u2028third`)
  const plan = buildPlan(parseDeclaration(text, 'it'), { ...nothing, groups: [groupOf(groups.alpha.persona)] })
  assert.deepEqual(plan, { steps: [], others: [] })
})

test('what rests on something that is not there waits for it', () => {
  const declared = parseDeclaration('version: 1\ngroups:\n  alpha: { agent: mock, grants: { one: { tools: [] } } }\n', 'it')
  assert.deepEqual(
    buildPlan(declared, nothing).steps.map(({ kind, waitsFor }) => [kind, waitsFor]),
    [
      ['agent_create', undefined],
      ['mcp_access', 'the group alpha'],
    ],
  )
  assert.deepEqual(
    buildPlan(declared, { ...nothing, groups: [groupOf('')] }).steps.map(({ kind, waitsFor }) => [kind, waitsFor]),
    [['mcp_access', 'the tool server one']],
  )
})

test('what no change can bring is said with the command that does', () => {
  const declared = parseDeclaration('version: 1\ngroups:\n  alpha: { agent: model, name: Other }\n', 'it')
  const { steps, others } = buildPlan(declared, { ...nothing, groups: [groupOf('')] })
  assert.deepEqual(steps, [])
  assert.match(others.join('\n'), /svcctl group remove alpha[^]*svcctl group show alpha/)
})

test('a mask is equal to any stored text, and to nothing else', () => {
  assert.ok(deepEqual({ env: { A: 'x' } }, { env: { A: '••••' } }))
  assert.ok(!deepEqual({ env: { A: 'x' } }, { env: {} }))
  assert.ok(!deepEqual({ env: { A: 'x' } }, { env: { A: 'y' } }))
  for (const wanted of ['x', '••••']) assert.ok(!plainlySame({ env: { A: wanted } }, { env: { A: '••••' } }))
})

test('export of a unit whose agents send what a terminal obeys is harmless, and apply shows such a diff harmlessly', async () => {
  await using unit = await startUnit()
  const env = { SERVICE_API_URL: unit.address }
  const exported = await svcctl(['export'], { env })
  assert.equal(exported.code, 0)
  assert.doesNotMatch(exported.stdout, /[\u001b\u009b\u202e\u200b]/)
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-apply-'))
  writeFileSync(join(folder, 'it.yaml'), 'version: 1\ngroups:\n  dev-agent: { agent: mock, persona: "quiet" }\n')
  const shown = await svcctl(['apply', '-f', join(folder, 'it.yaml'), '--diff'], { env })
  rmSync(folder, { recursive: true })
  assert.match(shown.stdout, /^persona dev-agent\n {2}- instructions: red\\u\{1b\}/)
  assert.doesNotMatch(shown.stdout, /[\u001b\u009b\u202e\u200b]/)
})

test('a change that somebody else wrote is approved only where the whole of it can be read, and is what the file says', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-apply-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'it.yaml')
  writeFileSync(file, 'version: 1\nservers:\n  one: { transport: stdio, command: node, env: { PLACE: ours } }\n')
  const digest = 'cd'.repeat(32)
  const decisions = async (place: string): Promise<unknown[]> => {
    const after = { name: 'one', transport: 'stdio', command: 'node', args: [], env: { PLACE: place } }
    const theirs = { ...change, id: 'chg_20260102030405.000000002', kind: 'mcp_register', after, digest }
    const applied = { ...theirs, state: 'applied' }
    await using unit = await startUnit({
      answers: { 'GET /v1/changes/pending': { items: [theirs] }, [`POST /v1/changes/${theirs.id}/decision`]: applied },
    })
    await svcctl(['apply', '-f', file, '--approve-as', 'alice'], { env: { SERVICE_API_URL: unit.address } })
    return unit.asked.filter(({ path }) => path.endsWith('/decision')).map(({ body }) => (body as { digest: string }).digest)
  }
  assert.ok(!(await decisions('••••')).includes(digest), 'a mask may hide another value')
  assert.ok((await decisions('ours')).includes(digest))
  writeFileSync(file, 'version: 1\nservers:\n  one: { transport: stdio, command: node, env: { PLACE: •••• } }\n')
  assert.ok(!(await decisions('••••')).includes(digest), 'a mask in the file says nothing either')
})

test('what waits for somebody else is neither asked for nor approved again, and the rest is carried on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-apply-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'it.yaml')
  const env = '{ transport: stdio, command: node, env: { PLACE: ours } }'
  writeFileSync(file, `version: 1\nservers:\n  one: ${env}\n  two: ${env}\n`)
  const of = (name: string, place: string) => ({
    ...change,
    id: `chg_20260102030405.00000000${name === 'one' ? 2 : 3}`,
    kind: 'mcp_register',
    after: { name, transport: 'stdio', command: 'node', args: [], env: { PLACE: place } },
    approvals: { needed: 2, given: 0 },
  })
  for (const code of ['self-approval', 'conflict'] as const) {
    const [hidden, read] = [of('one', '••••'), of('two', 'ours')]
    await using unit = await startUnit({
      answers: { 'GET /v1/changes/pending': { items: [hidden, read] } },
      problems: { [`POST /v1/changes/${read.id}/decision`]: code },
    })
    const applied = await svcctl(['apply', '-f', file, '--approve-as', 'alice', '--json'], { env: { SERVICE_API_URL: unit.address } })
    const { steps } = JSON.parse(applied.stdout) as { steps: { state: string; changeID: string }[] }
    assert.deepEqual(
      steps.map(({ state, changeID }) => [state, changeID]),
      [
        ['held', hidden.id],
        ['held', read.id],
      ],
    )
    assert.deepEqual(
      unit.asked.filter(({ method }) => method === 'POST').map(({ path }) => path),
      [`/v1/changes/${read.id}/decision`],
    )
  }
})
