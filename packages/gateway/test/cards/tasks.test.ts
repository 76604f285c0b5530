// Which cards are to be shown where: each once, brought up to date once, reminded of twice, whatever dies in between.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ChangeID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, read, token } from '../fixtures/people.ts'
import { openSession } from '../fixtures/tools.ts'
import { context, newDirectory, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { done, hold, persona, room, showAll, tasks, tasksOf, wire } from './channel.ts'

const day = 24 * 60 * 60_000
// The journal has the machine's own time, behind which the unit's never steps back.
const start = Date.now()

let dir: string
let unit: Unit
let now = start

const open = async (): Promise<void> => {
  unit = await openUnit({ dir, clock: () => now, boot: { changeTtl: 10 * day } })
}
/** As a crash ends it, and started again. */
const crash = async (): Promise<void> => {
  await unit.drop()
  await open()
}

before(async () => {
  dir = await newDirectory()
  await open()
  await createGroup(unit, 'g')
  await createGroup(unit, 'plain')
  await wire(unit, 'g')
  await mint(unit, { name: 'kim', role: 'approver', identities: [{ channel: 'webhook', user: 'U1' }] })
  await mint(unit, { name: 'ann', role: 'requester', identities: [{ channel: 'webhook', user: 'U2' }] })
})
after(async () => {
  await unit.close()
  await removeDirectory(dir)
})
beforeEach(async () => {
  await showAll(unit)
})

test('a held change is shown where its group is wired, with all that an approver must see, and nowhere else', async () => {
  await hold(unit, persona('plain', 'nobody sees it'))
  const id = await hold(unit, persona('g', 'one \u202E two'))
  const { items } = await tasks(unit)
  assert.equal(items.length, 1)
  const [task] = items
  const { digest, summary } = await read(unit, id)
  assert.deepEqual(
    [task?.act, task?.channel, task?.address, task?.approvers, task?.reference],
    ['post', 'webhook', room, ['U1'], undefined],
  )
  assert.deepEqual(
    [task?.card.changeID, task?.card.digest, task?.card.summary, task?.card.risk, task?.card.byHand, task?.card.evidence],
    [id, digest, summary, 'medium', false, 'none'],
  )
})

test('a change that an agent asked for names its session, and its reason hides nothing and makes no line of its own', async () => {
  const { id: session } = await openSession(unit, 'g', 'webhook:room')
  const { id } = await unit.gateway.runner.submitFor(
    { session, kind: 'tools', after: { enabled: ['remember'] }, reason: 'a\u202Eb\n\tapprove 123456 0123456789abcdef' },
    context,
  )
  const [task] = await tasksOf(unit, id)
  assert.equal(task?.session, session)
  assert.equal(task?.card.reason, String.raw`a\u{202e}b ⏎ approve 123456 0123456789abcdef`)
})

test('what was shown is not shown again, over a crash too; without the note it is shown again', async () => {
  const id = await hold(unit, persona('g', 'two'))
  const [task] = await tasksOf(unit, id)
  assert.ok(task)
  await crash()
  assert.deepEqual(
    (await tasksOf(unit, id)).map(({ act, id: card }) => [act, card]),
    [['post', task.id]],
  )
  await done(unit, task)
  await crash()
  assert.deepEqual(await tasksOf(unit, id), [])
})

test('a card is brought up to date once when its change was decided elsewhere, went stale, was withdrawn or expired', async () => {
  const ends: [string, (id: string) => Promise<unknown>, string][] = [
    ['approved', (id) => decide(unit, [id, 'approve']), 'applied'],
    ['rejected', (id) => decide(unit, [id, 'reject']), 'rejected'],
    ['withdrawn', async (id) => unit.gateway.controlPlane.withdraw({ token, id: v.parse(ChangeID, id) }, context), 'withdrawn'],
    [
      'expired',
      async (id) => {
        now += 11 * day
        await decide(unit, [id, 'approve']).catch(() => undefined)
      },
      'expired',
    ],
  ]
  for (const [name, end, state] of ends) {
    const id = await hold(unit, persona('g', `to be ${name}`))
    await showAll(unit)
    await end(id)
    await crash()
    const [task, ...more] = await tasksOf(unit, id)
    assert.ok(task, name)
    assert.deepEqual([task.act, task.card.state, task.reference, more], ['update', state, { message: `m-${task.id}` }, []], name)
    await done(unit, task)
    assert.deepEqual(await tasksOf(unit, id), [], name)
  }
})

test('a stale card is brought up to what the change is now', async () => {
  const id = await hold(unit, persona('g', 'stale'))
  const { digest } = await read(unit, id)
  await showAll(unit)
  await carry(unit, persona('g', 'moved'))
  await decide(unit, [id, 'approve'], { digest }).catch(() => undefined)
  const [task] = await tasksOf(unit, id)
  assert.deepEqual([task?.act, task?.card.state, task?.card.digest], ['update', 'held', (await read(unit, id)).digest])
  assert.notEqual(task?.card.digest, digest)
})

test('what moves while a card is being shown is shown after it', async () => {
  const id = await hold(unit, persona('g', 'race'))
  const [task] = await tasksOf(unit, id)
  assert.ok(task)
  await decide(unit, [id, 'reject'])
  await done(unit, task)
  assert.deepEqual(
    (await tasksOf(unit, id)).map(({ act, card }) => [act, card.state]),
    [['update', 'rejected']],
  )
})

test('what was given out to be shown and ended before that was noted is told how it ended, over a crash too', async () => {
  const id = await hold(unit, persona('g', 'seen'))
  assert.equal((await tasksOf(unit, id)).length, 1)
  await decide(unit, [id, 'reject'])
  await crash()
  const [task, ...more] = await tasksOf(unit, id)
  assert.ok(task)
  assert.deepEqual([task.act, task.card.state, more], ['post', 'rejected', []])
  await done(unit, task)
  assert.deepEqual(await tasksOf(unit, id), [])
})

test('what ended before it was given out is never shown, and one that cannot be shown is given up', async () => {
  const id = await hold(unit, persona('g', 'quick'))
  await decide(unit, [id, 'reject'])
  assert.deepEqual(await tasksOf(unit, id), [])
  const other = await hold(unit, persona('g', 'impossible'))
  const [task] = await tasksOf(unit, other)
  assert.ok(task)
  await done(unit, task, { failed: true })
  await decide(unit, [other, 'reject'])
  assert.deepEqual(await tasksOf(unit, other), [])
})

test('an address that is wired later shows what waits by then; one that was taken away hears nothing more, not even how it ended', async () => {
  await createGroup(unit, 'late')
  const id = await hold(unit, persona('late', 'waiting'))
  assert.deepEqual(await tasksOf(unit, id), [])
  await wire(unit, 'late', '#late')
  await showAll(unit)
  await carry(unit, ['wiring', 'late', { remove: { channel: 'webhook', address: '#late' } }])
  const unseen = await hold(unit, persona('late', 'unseen'))
  await decide(unit, [id, 'reject'])
  assert.deepEqual(await tasksOf(unit, id), [])
  assert.deepEqual(await tasksOf(unit, unseen), [])
})

test('people are reminded at half and at nine tenths of its life, once each over crashes, and of what was missed once', async () => {
  const id = await hold(unit, persona('g', 'slow'))
  await showAll(unit)
  assert.ok(((await tasks(unit)).wait ?? 0) <= 5 * day)
  const reminded: (number | undefined)[] = []
  for (const share of [0.49, 0.5, 0.51, 0.89, 0.9, 0.95]) {
    now = Date.parse((await read(unit, id)).createdAt) + share * 10 * day
    await crash()
    for (const task of await tasksOf(unit, id)) {
      assert.equal(task.act, 'remind')
      reminded.push(task.reminder)
      await done(unit, task)
      await done(unit, task)
      await crash()
    }
  }
  assert.deepEqual(reminded, [1, 2])
  const missed = await hold(unit, persona('g', 'missed'))
  await showAll(unit)
  now += 9.5 * day
  assert.deepEqual(
    (await showAll(unit)).filter(({ card }) => card.changeID === missed).map(({ reminder }) => reminder),
    [2],
  )
})

test('a card whose change cannot be read hides no other', async () => {
  const [lost, other] = [await hold(unit, persona('g', 'lost')), await hold(unit, persona('g', 'other'))]
  const record = await unit.store.read.get<{ record: string }>('SELECT record FROM changes WHERE id = ?', [lost])
  await unit.store.write((tx) => tx.run("UPDATE changes SET record = '{}' WHERE id = ?", [lost]))
  assert.deepEqual(
    (await tasks(unit)).items.map(({ card }) => card.changeID),
    [other],
  )
  await unit.store.write((tx) => tx.run('UPDATE changes SET record = ? WHERE id = ?', [record?.record ?? '', lost]))
})

test('a card that cannot be shown now hides no other', async () => {
  const first = await hold(unit, persona('g', 'first'))
  const second = await hold(unit, persona('g', 'second'))
  const [task] = await tasksOf(unit, first)
  assert.ok(task)
  const { items } = await tasks(unit, [task.id])
  assert.deepEqual(
    items.map(({ card }) => card.changeID),
    [second],
  )
})
