// What was approved and is not applied yet: every state, with and without a freeze, whoever acts, and whatever became of the
// tokens behind the approval. Each cell has its answer.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ChangeID, type ChangeState, type Digest, isServiceError, NewToken } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import * as v from 'valibot'
import { mint, type Person, person } from '../fixtures/crowd.ts'
import { createGroup, fails, group, groups, read, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let now = Date.UTC(2040, 0, 1)
let made = 0
let unit = await openTestUnit({ clock: () => now })
await putServer(unit, 'sample')

/** A unit keeps few tokens. */
afterEach(async () => {
  for (const { name } of (await door().tokens({ token }, context)).items) await door().revokeToken({ token, name }, context)
})

const door = () => unit.gateway.controlPlane
const id = (text: string) => v.parse(ChangeID, text)

interface Scene {
  readonly group: string
  readonly change: string
  readonly requester: Person
  readonly approver: Person & { readonly name: string }
  readonly maker: Person & { readonly name: string }
  readonly other: Person
}

const named = async (
  name: string,
  role: 'requester' | 'approver' | 'admin',
  { by = token, ...more }: { by?: Digest; expiresAt?: string } = {},
) => {
  const wanted = v.parse(NewToken, { name: `${name}${made}`, role, ...more })
  const { token: text } = await door().createToken({ token: by, wanted }, context)
  return { ...person(unit, sha256(text)), name: wanted.name }
}

const cast = async (): Promise<Omit<Scene, 'change'>> => {
  made += 1
  const name = `s${made}`
  await createGroup(unit, name)
  const maker = await named('maker', 'admin')
  return {
    group: name,
    requester: await named('requester', 'requester'),
    maker,
    approver: await named('approver', 'approver', { by: maker.token, expiresAt: new Date(now + 3_600_000).toISOString() }),
    other: await named('other', 'approver'),
  }
}

const freeze = (name: string) => door().freeze({ token, agentGroupID: group(name), reason: 'a drill' }, context)
const lift = (name: string) => door().unfreeze({ token, agentGroupID: group(name), reason: 'over' }, context)

type Cast = Omit<Scene, 'change'>

const holdChange = async ({ requester, group: name }: Cast): Promise<string> =>
  (await requester.submit(['persona', name, { instructions: 'x' }])).id

const holdFrozen = async (scene: Cast): Promise<string> => {
  const change = await holdChange(scene)
  await freeze(scene.group)
  return change
}

const approveFrozen = async (scene: Cast): Promise<string> => {
  const change = await holdFrozen(scene)
  assert.equal((await scene.approver.decide(change, 'approve')).state, 'approved')
  return change
}

const failApply = async (scene: Cast): Promise<string> => {
  await putServer(unit, 'brief')
  const { id: change } = await scene.requester.submit(['mcp_access', scene.group, { server: 'brief', tools: [] }])
  await door().removeServer({ token, name: server('brief') }, context)
  assert.equal((await scene.approver.decide(change, 'approve')).state, 'apply_failed')
  await putServer(unit, 'brief')
  return change
}

const failFrozen = async (scene: Cast): Promise<string> => {
  const change = await failApply(scene)
  await freeze(scene.group)
  return change
}

/** A change that is not applied; frozen or not. */
const makers = {
  held: holdChange,
  'held, frozen': holdFrozen,
  'approved, frozen': approveFrozen,
  apply_failed: failApply,
  'apply_failed, frozen': failFrozen,
} as const
type Start = keyof typeof makers

/** What becomes of the tokens behind the approval before anybody acts. */
const fates = {
  'tokens stay': async () => {},
  'the approver’s token is revoked': async ({ approver }) => void (await door().revokeToken({ token, name: approver.name }, context)),
  'the approver’s token expires': async () => void (now += 3_600_000),
  'the approver’s token is created again': async ({ approver }) => {
    await door().revokeToken({ token, name: approver.name }, context)
    now += 1
    await mint(unit, { name: approver.name, role: 'requester' })
  },
  'the token that created the approver’s is revoked': async ({ maker }) =>
    void (await door().revokeToken({ token, name: maker.name }, context)),
} as const satisfies Record<string, (scene: Scene) => Promise<void>>
type Fate = keyof typeof fates

const acts = {
  'another approver rejects': async ({ other, change }) => other.decide(change, 'reject'),
  'the requester withdraws': async ({ requester, change }) => door().withdraw({ token: requester.token, id: id(change) }, context),
  'the maker withdraws': async ({ maker, change }) => door().withdraw({ token: maker.token, id: id(change) }, context),
  'another approver approves': async ({ other, change }) => other.decide(change, 'approve'),
  'another approver retries': async ({ other, change }) => door().retry({ token: other.token, id: id(change) }, context),
  'the freeze is lifted': async ({ group: name, change }) => {
    await lift(name)
    await waitFor(async () => (await read(unit, change)).state !== 'approved', { what: 'what waited to be applied or held again' })
    return read(unit, change)
  },
} as const satisfies Record<string, (scene: Scene) => Promise<{ state: ChangeState }>>
type Act = keyof typeof acts

const stands: Readonly<Record<Fate, boolean>> = {
  'tokens stay': true,
  'the approver’s token is revoked': false,
  'the approver’s token expires': false,
  'the approver’s token is created again': false,
  'the token that created the approver’s is revoked': true,
}

/** What each act answers: a state or a code. */
const expected = (start: Start, act: Act, fate: Fate): string => {
  const [state = '', frozen] = start.split(', ')
  const makerIsGone = fate === 'the token that created the approver’s is revoked'
  switch (act) {
    case 'another approver rejects':
      return 'rejected'
    case 'the requester withdraws':
      return 'withdrawn'
    case 'the maker withdraws':
      return makerIsGone ? 'unauthorized' : 'forbidden'
    case 'another approver approves':
      if (state !== 'held') return 'change-already-decided'
      return frozen === undefined ? 'applied' : 'approved'
    case 'another approver retries':
      if (state !== 'apply_failed') return 'conflict'
      if (frozen !== undefined) return 'approved'
      return stands[fate] ? 'applied' : 'held'
    case 'the freeze is lifted':
      if (frozen === undefined) return 'not-found'
      if (state === 'approved') return stands[fate] ? 'applied' : 'held'
      return state
  }
}

const outcome = async (act: Act, scene: Scene): Promise<string> => {
  try {
    return (await acts[act](scene)).state
  } catch (error) {
    if (isServiceError(error)) return error.code
    throw error
  }
}

/** Before an approval is given, what happens to the approver is no matter. */
const fatesOf = (start: Start): Fate[] => (start.startsWith('held') ? ['tokens stay'] : (Object.keys(fates) as Fate[]))

for (const start of Object.keys(makers) as Start[])
  for (const fate of fatesOf(start))
    for (const act of Object.keys(acts) as Act[]) {
      const answer = expected(start, act, fate)
      test(`${start}; ${fate}; ${act}: ${answer}`, async () => {
        const people = await cast()
        const scene = { ...people, change: await makers[start](people) }
        await fates[fate](scene)
        assert.equal(await outcome(act, scene), answer)
        const { state } = await read(unit, scene.change)
        if (state === 'applied') return
        // Whatever was stopped or is not approved any more is not in force, and a lifted freeze changes nothing of that.
        if (start.endsWith('frozen') && act !== 'the freeze is lifted') await lift(scene.group)
        if (['rejected', 'withdrawn', 'held'].includes(state)) assert.equal((await read(unit, scene.change)).state, state)
        if (['rejected', 'withdrawn'].includes(state)) assert.equal((await read(unit, scene.change)).failure, undefined)
        const { persona } = (await groups(unit)).find(({ id: one }) => one === scene.group) ?? {}
        if (['rejected', 'withdrawn', 'held'].includes(state)) assert.equal(persona, '')
      })
    }

test('what is held again says whose approval is missing, in the journal too, and another approval applies it', async () => {
  const people = await cast()
  const change = await approveFrozen(people)
  await fates['the approver’s token is revoked']({ ...people, change })
  await lift(people.group)
  await waitFor(async () => (await read(unit, change)).state === 'held', { what: 'the change to be held again' })
  const { approvals, decisions } = await read(unit, change)
  assert.deepEqual([approvals, decisions.length], [{ needed: 1, given: 0 }, 1])
  const line = (await audit(unit)).findLast(({ changeID, stage }) => changeID === change && stage === 'rebased')
  assert.deepEqual(line?.detail['reopened'], { needed: 1, given: 0, lost: [people.maker.name] })
  assert.equal(line?.principal, 'gateway')
  assert.equal((await people.other.decide(change, 'approve')).state, 'applied')
  assert.deepEqual(await stages(unit, change), ['submit', 'approve', 'rebased', 'approve', 'apply'])
})

test('a crash between the lift and the apply does not bring a revoked approval back', async () => {
  const people = await cast()
  const change = await approveFrozen(people)
  await fates['the approver’s token is revoked']({ ...people, change })
  await unit.drop()
  unit = await openUnit({ dir: unit.dir, clock: () => now })
  assert.equal((await read(unit, change)).state, 'approved')
  await lift(people.group)
  await waitFor(async () => (await read(unit, change)).state === 'held', { what: 'the change to be held again' })
})

test('a unit that asks for more approvals than were given holds what it has not applied again', async () => {
  const people = await cast()
  const change = await approveFrozen(people)
  await unit.close()
  unit = await openUnit({ dir: unit.dir, clock: () => now, boot: { approvals: 2 } })
  await lift(people.group)
  await waitFor(async () => (await read(unit, change)).state === 'held', { what: 'the change to be held again' })
  assert.deepEqual((await read(unit, change)).approvals, { needed: 2, given: 1 })
  await unit.close()
  unit = await openUnit({ dir: unit.dir, clock: () => now })
})

test('a rejection of what was approved outlives a crash, and takes effect once', async () => {
  const people = await cast()
  const change = await approveFrozen(people)
  await people.other.decide(change, 'reject')
  await unit.drop()
  unit = await openUnit({ dir: unit.dir, clock: () => now })
  await lift(people.group)
  assert.equal((await read(unit, change)).state, 'rejected')
  assert.equal((await fails(person(unit, people.other.token).decide(change, 'reject'))).code, 'change-already-decided')
  assert.deepEqual(await stages(unit, change), ['submit', 'approve', 'reject'])
})
