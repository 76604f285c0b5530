// What the runner found at a path is what the approver sees, what the rules judge and what is mounted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, MountSighting } from '@gatehouse/contracts'
import { createGroup, decide, fails, groups, read, submit } from '../fixtures/people.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const start = Date.UTC(2026, 10, 20)
let now = start
const unit = await openTestUnit({ clock: () => now, evidenceWait: 200, boot: { mountAllow: ['/srv'] } })
await createGroup(unit, 'a')

const directory = (source: string, more: Partial<MountSighting> = {}): MountSighting => ({
  source,
  at: '2001-01-01T00:00:00.000Z',
  real: source,
  type: 'directory',
  device: '7',
  inode: '8',
  owner: 1000,
  mode: '755',
  ...more,
})

const sight = (...mounts: MountSighting[]) => unit.gateway.runner.sighted({ mounts }, context)

const wantedTimes = (source: string): number =>
  unit.heard.filter(({ event, payload }) => event === 'mounts-wanted' && JSON.stringify(payload).includes(`"${source}"`)).length

const wanted = async (source: string, times = 1): Promise<void> => {
  while (wantedTimes(source) < times) await new Promise(setImmediate)
}

const mountsOf = (...sources: string[]) => ({ mounts: sources.map((source, n) => ({ source, target: `/mnt/${n}`, mode: 'ro' })) })
const ask = async (...sources: string[]): Promise<Change> => read(unit, (await submit(unit, ['mounts', 'a', mountsOf(...sources)])).id)

test('the runner is asked, and what it says in time is the evidence, with the time of the gateway', async () => {
  const change = ask('/srv/a', '/srv/b')
  await wanted('/srv/a')
  await sight(directory('/srv/a'))
  await sight(directory('/srv/b', { real: '/srv/c', inode: '9' }))
  const { evidence, risk } = await change
  const { at: _a, ...a } = directory('/srv/a')
  const { at: _b, ...b } = directory('/srv/b', { real: '/srv/c', inode: '9' })
  assert.deepEqual(evidence, { status: 'sighted', at: new Date(start).toISOString(), age: 0, mounts: [a, b] })
  assert.equal(risk, 'medium')
})

test('what was approved is mounted, pinned to what was seen', async () => {
  const change = await ask('/srv/a')
  assert.equal((await decide(unit, [change.id, 'approve'], { digest: change.digest })).state, 'applied')
  assert.deepEqual((await groups(unit))[0]?.mounts, [{ source: '/srv/a', target: '/mnt/0', mode: 'ro', device: '7', inode: '8' }])
})

test('an old sighting is asked for again, and no answer is evidence of its own kind', async () => {
  now += 60_001
  const change = await ask('/srv/a')
  assert.deepEqual(change.evidence, { status: 'unavailable', sources: ['/srv/a'] })
  assert.equal(change.risk, 'high')
  assert.equal(wantedTimes('/srv/a'), 2)
  await decide(unit, [change.id, 'reject'])
})

test('half an answer is none', async () => {
  const change = ask('/srv/d', '/srv/e')
  await wanted('/srv/d')
  await sight(directory('/srv/d'))
  assert.equal((await change).evidence?.['status'], 'unavailable')
})

const refused = async (source: string, seen: MountSighting): Promise<string | undefined> => {
  const error = fails(submit(unit, ['mounts', 'a', mountsOf(source)]))
  await wanted(source)
  await sight(seen)
  return (await error).extra?.['rule']
}

test('a link to where nothing may be mounted is refused when it is seen', async () => {
  assert.equal(await refused('/srv/link', directory('/srv/link', { real: '/etc' })), 'mount-not-allowed')
  assert.equal(await refused('/srv/self', directory('/srv/self', { real: unit.dir })), 'mount-of-unit')
  assert.equal(await refused('/srv/root', directory('/srv/root', { real: '/' })), 'mount-of-system')
  assert.equal(await refused('/srv/sock', directory('/srv/sock', { type: 'socket' })), 'mount-special')
  assert.equal(await refused('/srv/none', { source: '/srv/none', at: '2001-01-01T00:00:00.000Z' }), 'mount-missing')
})

test('a mount within what another group writes is refused, also by where a link leads', async () => {
  await createGroup(unit, 'writer')
  const change = submit(unit, ['mounts', 'writer', { mounts: [{ source: '/srv/w', target: '/mnt/w', mode: 'rw' }] }])
  await wanted('/srv/w')
  await sight(directory('/srv/w'))
  const { id, digest } = await read(unit, (await change).id)
  assert.equal((await decide(unit, [id, 'approve'], { digest })).state, 'applied')
  assert.equal(await refused('/srv/w/in', directory('/srv/w/in')), 'mount-within-written')
  assert.equal(await refused('/srv/to-w', directory('/srv/to-w', { real: '/srv/w/in' })), 'mount-within-written')
  // What the other group mounts is a link now.
  await sight(directory('/srv/w', { real: '/srv/elsewhere' }))
  assert.equal(await refused('/srv/elsewhere/in', directory('/srv/elsewhere/in')), 'mount-within-written')
})

test('a path that became another one after the submission makes the approval stale', async () => {
  now += 60_001
  const change = ask('/srv/f')
  await wanted('/srv/f')
  await sight(directory('/srv/f'))
  const { id, digest } = await change
  await sight(directory('/srv/f', { inode: '99' }))
  assert.equal((await fails(decide(unit, [id, 'approve'], { digest }))).code, 'change-stale')
})

test('the same found again makes nothing stale', async () => {
  const change = ask('/srv/g')
  await wanted('/srv/g')
  await sight(directory('/srv/g'))
  const { id, digest } = await change
  now += 1000
  await sight(directory('/srv/g'))
  assert.equal((await decide(unit, [id, 'approve'], { digest })).state, 'applied')
})

test('to mount nothing needs no witness', async () => {
  const change = await ask()
  assert.deepEqual([change.evidence, change.risk], [null, 'medium'])
})
