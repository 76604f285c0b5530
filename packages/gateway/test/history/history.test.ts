// Random histories with crashes and clock steps: the gateway never differs from its model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Digest, isServiceError } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { fc, seed } from '@gatehouse/testkit/random'
import { grants, groups, read, token } from '../fixtures/people.ts'
import { authorize, openSession, putServer, server } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import {
  type Asking,
  emptyModel,
  expire,
  type Model,
  modelCall,
  modelDecide,
  modelRetry,
  modelSubmit,
  modelUnfreeze,
  modelWithdraw,
  type Person,
  ttl,
} from './model.ts'
import { histories, type Step } from './steps.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const runs = full ? 10_000 : 60
/** Ahead of the journal, whose lines bear the time of the machine. */
const beginning = Date.UTC(2040, 10, 20)
let latest = beginning
let now = latest
const clock = () => now
/** Behind a clock that was set back time stands: what really passes would be a millisecond more than the model knows of. */
const elapsed = () => 0
let unit: Unit
let ann: Digest
let run = 0
let changeTtl = ttl
const open = (dir?: string) => openUnit({ clock, elapsed, boot: { changeTtl }, ...(dir === undefined ? {} : { dir }) })

/** When ann was given her present token. */
let annAt = beginning
const mintAnn = async (): Promise<void> => {
  annAt = now
  const minted = await unit.gateway.controlPlane.createToken({ token, wanted: { name: 'ann', role: 'approver' } as never }, context)
  ann = sha256(minted.token)
}
const begin = async (): Promise<void> => {
  unit = await open()
  await mintAnn()
}
const end = async (): Promise<void> => {
  await unit.close()
  await removeDirectory(unit.dir)
}

/** Histories that share a unit: what it holds, and the time, grow with each. */
const together = 100
const renew = async (): Promise<void> => {
  await end()
  latest = beginning
  now = beginning
  await begin()
}

const tokenOf = (person: Person): Digest => (person === 'ann' ? ann : token)
const groupName = (index: number) => `r${run}g${index}`
const serverName = (index: number) => `r${run}s${index}`
const place = (index: number) => ({ channel: 'slack', address: `r${run}a${index}` })

const submission = (asked: Asking): { kind: string; after: unknown } => {
  switch (asked.do) {
    case 'create':
      return { kind: 'agent_create', after: { id: groupName(asked.group), name: 'x', agent: 'mock' } }
    case 'remove':
      return { kind: 'agent_remove', after: {} }
    case 'persona':
      return { kind: 'persona', after: { instructions: asked.text } }
    case 'tools':
      return { kind: 'tools', after: { enabled: [asked.enabled] } }
    case 'wire':
      return { kind: 'wiring', after: { ...place(asked.address), engage: 'mention', session: 'shared' } }
    case 'unwire':
      return { kind: 'wiring', after: { remove: place(asked.address) } }
    case 'access':
      return {
        kind: 'mcp_access',
        after: { server: serverName(asked.server), tools: asked.tools, ...(asked.maxCalls && { maxCalls: asked.maxCalls }) },
      }
    case 'revoke':
      return { kind: 'mcp_revoke', after: { server: serverName(asked.server), ...(asked.tools && { tools: asked.tools }) } }
  }
}

/** The state that an act ends in, or the code that it fails with. */
const outcome = async (act: Promise<{ state: string }> | { state: string }): Promise<string> => {
  try {
    return (await act).state
  } catch (error) {
    if (isServiceError(error)) return error.code
    throw error
  }
}

const ask = async (model: Model, ids: string[], { asked, by }: Extract<Step, { do: 'ask' }>): Promise<void> => {
  const expected = modelSubmit(model, asked, by)
  const wanted = { agentGroupID: groupName(asked.group), ...submission(asked) }
  try {
    const { id, state } = await unit.gateway.controlPlane.submit({ token: tokenOf(by), submission: wanted }, context)
    assert.equal(state, expected)
    ids.push(id)
  } catch (error) {
    if (!isServiceError(error)) throw error
    assert.equal(error.code, expected)
    if (expected === 'change-refused') ids.push(error.extra?.['changeID'] ?? '')
  }
}

/** Of the last changes; undefined where there is none. */
const find = (model: Model, ids: string[], back: number) => {
  const index = ids.length - 1 - (back % Math.max(1, ids.length))
  const known = model.changes[index]
  return known === undefined ? undefined : { id: ids[index] as never, known }
}

const decide = (id: never, by: Person, more: { outcome: 'approve' | 'reject'; digest?: Digest | undefined }): Promise<string> =>
  outcome(unit.gateway.controlPlane.decide({ token: tokenOf(by), id, decidedBy: by, ...more }, context))

const race = async (model: Model, { id, known }: NonNullable<ReturnType<typeof find>>): Promise<void> => {
  const answers = await Promise.all([decide(id, 'admin', { outcome: 'approve' }), decide(id, 'admin', { outcome: 'approve' })])
  const expected = modelDecide(model, known, { by: 'admin', outcome: 'approve', digest: 'none' })
  assert.deepEqual(answers.toSorted(), [expected, 'change-already-decided'].toSorted())
}

const judge = async (model: Model, ids: string[], step: Extract<Step, { readonly change: number }>): Promise<void> => {
  const found = find(model, ids, step.change)
  if (found === undefined) return
  const { id, known } = found
  const { controlPlane } = unit.gateway
  if (step.do === 'race') return race(model, found)
  if (step.do === 'retry') return assert.equal(await outcome(controlPlane.retry({ token, id }, context)), modelRetry(model, known))
  if (step.do === 'withdraw') {
    const answer = await outcome(controlPlane.withdraw({ token: tokenOf(step.by), id }, context))
    return assert.equal(answer, modelWithdraw(model, known, step.by))
  }
  const digest = { none: undefined, shown: (await read(unit, id)).digest, wrong: 'f'.repeat(64) as Digest }[step.digest]
  assert.equal(await decide(id, step.by, { outcome: step.outcome, digest }), modelDecide(model, known, step))
}

const configure = async (
  model: Model,
  { do: what, server: index }: Extract<Step, { server: number; do: 'put' | 'delete' }>,
): Promise<void> => {
  if (what === 'put') {
    model.servers.add(index)
    await putServer(unit, serverName(index))
    return
  }
  const there = model.servers.delete(index)
  const remove = async () => unit.gateway.controlPlane.removeServer({ token, name: server(serverName(index)) }, context)
  await (there ? remove() : assert.rejects(remove, { code: 'not-found' }))
}

const stop = async (model: Model, ids: readonly string[], what: 'freeze' | 'unfreeze'): Promise<void> => {
  const { controlPlane } = unit.gateway
  if (what === 'freeze') {
    model.frozen = true
    await controlPlane.freeze({ token, reason: 'a drill' }, context)
    return
  }
  if (!model.frozen) return
  await controlPlane.unfreeze({ token, reason: 'over' }, context)
  modelUnfreeze(model)
  const waiting = async () => (await Promise.all(ids.map((id) => read(unit, id)))).some(({ state }) => state === 'approved')
  await waitFor(async () => !(await waiting()), { what: 'what waited to be applied', every: 2 })
}

/** Counts of the last moment may be lost, never won. Time begins anew: the journal, which knows the last one, bears the machine's. */
const crash = async (model: Model): Promise<void> => {
  await unit.drop()
  unit = await open(unit.dir)
  model.now = now
  for (const { agentGroupID, server: name, calls } of await grants(unit)) {
    const known = model.grants.get(`${agentGroupID.split('g')[1]}/${name.split('s')[1]}`)
    if (!agentGroupID.startsWith(`r${run}g`) || known === undefined) continue
    assert.ok(calls <= known.calls)
    known.calls = calls
  }
}

/** No two tokens of one name are created in the same moment. */
const renewAnn = async (model: Model): Promise<void> => {
  now = Math.max(now, model.now) + 1
  model.now = now
  await unit.gateway.controlPlane.revokeToken({ token, name: 'ann' }, context)
  await mintAnn()
  model.token += 1
  model.tokenAt = annAt
}

const call = async (model: Model, step: Extract<Step, { do: 'call' }>): Promise<void> => {
  if (!model.groups.has(step.group)) return
  const { id } = await openSession(unit, groupName(step.group))
  const { allowed } = await authorize(unit, id, [serverName(step.server), step.tool])
  assert.equal(allowed, modelCall(model, step))
}

const take = async (model: Model, ids: string[], step: Step): Promise<void> => {
  if (step.do === 'clock') {
    now += step.by
    return
  }
  model.now = Math.max(model.now, now)
  if (step.do === 'put' || step.do === 'delete') await configure(model, step)
  else if (step.do === 'freeze' || step.do === 'unfreeze') await stop(model, ids, step.do)
  else if (step.do === 'crash') await crash(model)
  else if (step.do === 'renew') await renewAnn(model)
  else if (step.do === 'call') await call(model, step)
  else if (step.do === 'ask') await ask(model, ids, step)
  else await judge(model, ids, step)
}

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1)

const compare = async (model: Model, ids: readonly string[]): Promise<void> => {
  const own = (id: string): boolean => id.startsWith(`r${run}g`)
  assert.deepEqual(
    (await groups(unit)).filter(({ id }) => own(id)).map(({ id, persona }) => [id, persona]),
    [...model.groups].map(([index, { persona }]) => [groupName(index), persona]).toSorted(byName),
  )
  assert.deepEqual(
    (await grants(unit))
      .filter((item) => own(item.agentGroupID))
      .map((item) => [`${item.agentGroupID}/${item.server}`, item.state, item.tools]),
    [...model.grants]
      .map(([key, grant]) => [`r${run}g${key[0]}/r${run}s${key[2]}`, grant.active ? 'active' : 'revoked', grant.tools])
      .toSorted(byName),
  )
  const { items } = await unit.gateway.controlPlane.wirings({ token }, context)
  assert.deepEqual(
    items.filter((item) => own(item.agentGroupID)).map(({ address, agentGroupID }) => [address, agentGroupID]),
    [...model.wirings].map(([index, owner]) => [`r${run}a${index}`, groupName(owner)]).toSorted(byName),
  )
  for (const [index, known] of model.changes.entries()) {
    const { state } = await read(unit, ids[index] ?? '')
    expire(model, known)
    // A change whose time is over is found to be when somebody acts on it, or in the next round.
    assert.equal(known.state === 'expired' && state === 'held' ? 'expired' : state, known.state)
  }
}

const check = async (numRuns: number, first = seed): Promise<void> => {
  await begin()
  try {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        run += 1
        if (run % together === 0) await renew()
        // Whatever the clock did in the history before, this one begins after it.
        now = latest + 2 * ttl
        const model = emptyModel(now, annAt)
        const ids: string[] = []
        for (const step of history) await take(model, ids, step)
        if (model.frozen) await stop(model, ids, 'unfreeze')
        latest = Math.max(latest, model.now, now)
        await compare(model, ids)
        assert.deepEqual(ids, ids.toSorted())
      }),
      { numRuns, seed: first, endOnFailure: true },
    )
  } finally {
    await end()
  }
}

test(`${runs} random histories go as the model says`, { timeout: 10_800_000 }, async (t) => {
  t.diagnostic(`GATEHOUSE_SEED=${seed}`)
  await check(runs)
})

test('the same histories notice a gateway under which changes live too long', async () => {
  changeTtl = 2 * ttl
  await assert.rejects(check(100, 7), /Property failed/)
})
