// Random histories with crashes and clock steps: the gateway never differs from its model.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import fc from 'fast-check'
import { authorize, decide, fails, grants, groups, openSession, putServer, read, server, submit, token } from '../fixtures/people.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { type Asking, emptyModel, type Model, modelAllows, modelDecide, modelSubmit, type Step } from './model.ts'

const runs = 200
let now = Date.UTC(2026, 10, 20)
const clock = () => now
let unit: Unit
let run = 0
before(async () => {
  unit = await openUnit({ clock })
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

/** Mostly the first: histories that never meet themselves prove little. */
const which = fc.constantFrom(0, 0, 0, 1)
const place = { group: which, server: which }
const tools = fc.constantFrom<string[][]>([], ['a'], ['a', 'b'], ['b', 'a'])
const asking: fc.Arbitrary<Asking> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), group: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('persona' as const), group: which, text: fc.constantFrom('x', 'y') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('access' as const), ...place, tools }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('revoke' as const), ...place, tools: fc.constantFrom(undefined, ['a'], ['a', 'b'], ['c']) }),
  },
)
/** Of one of the last changes. */
const deciding: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('decide' as const),
  change: fc.constantFrom(0, 0, 0, 1, 2, 5),
  outcome: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'reject' as const),
  digest: fc.constantFrom('none' as const, 'shown' as const, 'shown' as const, 'wrong' as const),
})
const carrying: fc.Arbitrary<Step[]> = asking.map((asked) => [asked, { do: 'decide', change: 0, outcome: 'approve', digest: 'none' }])
const incident: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('race' as const), change: fc.nat(2) }),
  fc.record({ do: fc.constantFrom('put' as const), server: which }),
  fc.record({ do: fc.constant('remove' as const), server: which }),
  fc.record({ do: fc.constant('crash' as const) }),
  fc.record({ do: fc.constant('clock' as const), by: fc.integer({ min: -100_000, max: 100_000 }) }),
)
const one = (step: Step): Step[] => [step]
const steps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: carrying },
      { weight: 2, arbitrary: asking.map(one) },
      { weight: 3, arbitrary: deciding.map(one) },
      { weight: 2, arbitrary: incident.map(one) },
    ),
    { minLength: 4, maxLength: 14 },
  )
  .map((parts) => parts.flat())
/** Without these most histories would only be refused. */
const opening: readonly Step[] = [
  { do: 'put', server: 0 },
  { do: 'create', group: 0 },
  { do: 'decide', change: 0, outcome: 'approve', digest: 'none' },
]

const groupName = (index: number) => `r${run}g${index}`
const serverName = (index: number) => `r${run}s${index}`

const submission = (asked: Asking): [kind: string, after: unknown] => {
  if (asked.do === 'create') return ['agent_create', { id: groupName(asked.group), name: 'x', agent: 'mock' }]
  if (asked.do === 'persona') return ['persona', { instructions: asked.text }]
  const named = { server: serverName(asked.server), ...(asked.tools === undefined ? {} : { tools: asked.tools }) }
  return [asked.do === 'access' ? 'mcp_access' : 'mcp_revoke', named]
}

/** The state that an act ends in, or the code that it fails with. */
const outcome = async (act: Promise<{ state: string }>): Promise<string> => {
  try {
    return (await act).state
  } catch (error) {
    if (isServiceError(error)) return error.code
    throw error
  }
}

const ask = async (model: Model, ids: string[], asked: Asking): Promise<void> => {
  const [kind, wanted] = submission(asked)
  const expected = modelSubmit(model, asked)
  if (expected === 'held') {
    ids.push((await submit(unit, [kind, groupName(asked.group), wanted])).id)
    return
  }
  const error = await fails(submit(unit, [kind, groupName(asked.group), wanted]))
  assert.equal(error.code, expected)
  if (expected === 'change-refused') ids.push(error.extra?.['changeID'] ?? '')
}

const judge = async (model: Model, ids: string[], step: Extract<Step, { do: 'decide' | 'race' }>): Promise<void> => {
  if (ids.length === 0) return
  const index = ids.length - 1 - (step.change % ids.length)
  const id = ids[index] ?? ''
  const known = model.changes[index]!
  if (step.do === 'decide') {
    const digest = { none: undefined, shown: (await read(unit, id)).digest, wrong: 'f'.repeat(64) }[step.digest]
    const answer = await outcome(decide(unit, [id, step.outcome], digest === undefined ? {} : { digest }))
    assert.equal(answer, modelDecide(model, known, step))
    return
  }
  const answers = await Promise.all([outcome(decide(unit, [id, 'approve'])), outcome(decide(unit, [id, 'approve']))])
  const expected = modelDecide(model, known, { outcome: 'approve', digest: 'none' })
  assert.deepEqual(answers.toSorted(), [expected, 'change-already-decided'].toSorted())
}

const configure = async (model: Model, { do: act, server: index }: Extract<Step, { do: 'put' | 'remove' }>): Promise<void> => {
  if (act === 'put') {
    model.servers.add(index)
    await putServer(unit, serverName(index))
    return
  }
  const there = model.servers.delete(index)
  const remove = async () => unit.gateway.controlPlane.removeServer({ token, name: server(serverName(index)) }, context)
  await (there ? remove() : assert.rejects(remove, { code: 'not-found' }))
}

const take = async (model: Model, ids: string[], step: Step): Promise<void> => {
  if (step.do === 'clock') now += step.by
  else if (step.do === 'put' || step.do === 'remove') await configure(model, step)
  else if (step.do === 'decide' || step.do === 'race') await judge(model, ids, step)
  else if (step.do !== 'crash') await ask(model, ids, step)
  else {
    await unit.drop()
    unit = await openUnit({ dir: unit.dir, clock })
  }
}

const compare = async (model: Model, ids: string[]): Promise<void> => {
  const personas = (await groups(unit)).filter((item) => item.id.startsWith(`r${run}g`)).map((item) => [item.id, item.persona])
  assert.deepEqual(
    personas,
    [...model.personas].map(([index, text]) => [groupName(index), text]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )
  const granted = (await grants(unit)).filter((item) => item.agentGroupID.startsWith(`r${run}g`))
  assert.deepEqual(
    granted.map((item) => [`${item.agentGroupID}/${item.server}`, item.state === 'active', item.tools]),
    [...model.grants]
      .map(([key, grant]) => [`r${run}g${key[0]}/r${run}s${key[2]}`, grant.active, grant.tools] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  for (const [index, known] of model.changes.entries()) assert.equal((await read(unit, ids[index] ?? '')).state, known.state)
  for (const index of model.personas.keys()) {
    const session = await openSession(unit, groupName(index))
    for (const tool of ['a', 'b']) {
      for (const other of [0, 1]) {
        const verdict = await authorize(unit, session.id, [serverName(other), tool])
        assert.equal(verdict.allowed, modelAllows(model, { group: index, server: other, tool }))
      }
    }
  }
}

test(`${runs} random histories go as the model says`, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      run += 1
      const model = emptyModel()
      const ids: string[] = []
      for (const step of [...opening, ...history]) await take(model, ids, step)
      await compare(model, ids)
      assert.deepEqual(ids, ids.toSorted())
    }),
    { numRuns: runs },
  )
})
