// While a backup reads: groups stay where they are, nothing is set aside or removed, and one that says no more ends by itself.
import assert from 'node:assert/strict'
import { access, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { AgentGroupID } from '@gatehouse/contracts'
import { silentLogger, waitFor } from '@gatehouse/kernel'
import { openDisks } from '../../src/backup.ts'
import { GroupDisks } from '../../src/groups/disks.ts'
import { Reading } from '../../src/groups/mount.ts'
import { FakeGateway } from '../fixtures/gateway.ts'
import { openUnit } from '../fixtures/unit.ts'

const deadline = 60_000
const { signal: closing } = new AbortController()
const call = { requestId: 'test', traceparent: undefined, signal: closing }

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

describe('a backup that reads', { timeout: 120_000 }, () => {
  it('ends by itself when nothing is heard of it, and hears so', async () => {
    const reading = new Reading(1)
    const id = reading.begin()
    const still = setInterval(() => undefined, 1_000)
    await reading.over(closing)
    clearInterval(still)
    assert.deepEqual([reading.isOn, reading.keep(id)], [false, false])
  })

  it('goes on while it is heard of, and gives way to the next', async () => {
    const reading = new Reading()
    const first = reading.begin()
    assert.equal(reading.keep(first), true)
    const second = reading.begin()
    assert.deepEqual([reading.keep(first), reading.keep(second)], [false, true])
    reading.end(first)
    assert.equal(reading.isOn, true)
    reading.end(second)
    assert.equal(reading.isOn, false)
  })

  it('waits for what was begun with a disk before it', async (t) => {
    const groups = await mkdtemp(join(tmpdir(), 'gh-idle-'))
    t.after(() => rm(groups, { recursive: true }))
    const disks = new GroupDisks({ groups, log: silentLogger, closing })
    const moved = Promise.withResolvers<void>()
    const order: string[] = []
    const moving = disks.lend(undefined, 'dev-agent' as AgentGroupID, () => moved.promise.then(() => void order.push('moved')))
    const posture = { disks: async () => undefined }
    const opened = openDisks({ disks, posture, log: silentLogger, closing } as never).then(() => order.push('opened'))
    assert.equal(disks.reading.isOn, true)
    // Time enough for one that does not wait.
    for (let count = 0; count < 50; count += 1) await stat(groups)
    moved.resolve()
    await Promise.all([moving, opened])
    assert.deepEqual(order, ['moved', 'opened'])
  })

  it('keeps a group that has no disk yet from taking its files to one, and no other', async (t) => {
    const groups = await mkdtemp(join(tmpdir(), 'gh-first-'))
    t.after(() => rm(groups, { recursive: true }))
    const { group } = new FakeGateway()
    const disks = new GroupDisks({ groups, log: silentLogger, closing })
    // Whoever gets past the refusal finds no program.
    const open = () => disks.open({ programs: {} as never }, group, { id: 'run-1', signal: closing })
    await mkdir(join(groups, group.id))
    const reading = disks.reading.begin()
    await assert.rejects(open, { message: /cannot be opened/ })
    await writeFile(join(groups, group.id, 'kept'), 'before')
    await assert.rejects(open, { code: 'unavailable', message: /a backup reads the files of dev-agent/ })
    disks.reading.end(reading)
    await assert.rejects(open, { message: /cannot be opened/ })
  })

  it('holds up who waited for the turn of a group when it began', async () => {
    const disks = new GroupDisks({ groups: '/nowhere', log: silentLogger, closing })
    const { group } = new FakeGateway()
    const busy = Promise.withResolvers<void>()
    const lent = disks.lend({ refused: 'planted' }, group.id, () => busy.promise)
    const order: string[] = []
    const closed = disks.whileClosed(group.id, async () => void order.push('set aside'))
    const reading = disks.reading.begin()
    busy.resolve()
    await Promise.all([lent, disks.idle()])
    await disks.lend({ refused: 'planted' }, group.id, async () => void order.push('read'))
    disks.reading.end(reading)
    assert.equal(await closed, true)
    assert.deepEqual(order, ['read', 'set aside'])
  })

  it('holds up the files of groups that are gone, until it has ended', async (t) => {
    const unit = await openUnit(t, { times: { removed: 60_000 } })
    const groups = `${unit.stateDir}/groups`
    const { reading } = await unit.runner.backup.openDisks({}, call)
    await mkdir(`${groups}/.removed/old.1`, { recursive: true })
    unit.gateway.emit('group-removed', { agentGroupID: 'old' as AgentGroupID })
    await unit.chat('hello')
    await mkdir(`${groups}/other`, { mode: 0o700 })
    unit.gateway.emit('group-removed', { agentGroupID: 'other' as AgentGroupID })
    // Until a sweep has asked which groups there are, and a little more has been answered.
    await unit.chat('hello')
    assert.deepEqual([await isThere(`${groups}/other`), await isThere(`${groups}/.removed/old.1`)], [true, true])
    assert.deepEqual(await unit.runner.backup.keepDisks({ reading }, call), { still: true })
    await unit.runner.backup.leaveDisks({ reading }, call)
    await waitFor(async () => !(await isThere(`${groups}/other`)), { what: 'files set aside', deadline })
    await waitFor(async () => !(await isThere(`${groups}/.removed/old.1`)), { what: 'files removed', deadline })
    assert.equal((await readdir(`${groups}/.removed`)).length, 1)
    assert.deepEqual(await unit.runner.backup.keepDisks({ reading }, call), { still: false })
  })

  it('keeps files of a group that went while the clock was set back as long as others', async (t) => {
    const unit = await openUnit(t)
    const groups = `${unit.stateDir}/groups`
    const isAside = async (group: string): Promise<boolean> => {
      await mkdir(`${groups}/${group}`, { mode: 0o700 })
      unit.gateway.emit('group-removed', { agentGroupID: group as AgentGroupID })
      return waitFor(async () => !(await isThere(`${groups}/${group}`)), { what: 'files set aside', deadline })
    }
    await isAside('one')
    const real = Date.now.bind(Date)
    const since = real()
    t.mock.method(Date, 'now', () => real() - 365 * 24 * 60 * 60_000)
    await isAside('other')
    const [name = ''] = (await readdir(`${groups}/.removed`)).filter((each) => each.startsWith('other.'))
    assert.ok(Number(name.split('.')[1]) >= since - 60_000, name)
  })

  it('that is refused holds up nothing', async (t) => {
    const unit = await openUnit(t)
    const groups = `${unit.stateDir}/groups`
    await mkdir(`${groups}/.disks`, { mode: 0o700 })
    await writeFile(`${groups}/.disks/dev-agent.disk`, `16-01 ${'0'.repeat(32)}\n`)
    await assert.rejects(async () => unit.runner.backup.openDisks({}, call), { code: 'unavailable' })
    await mkdir(`${groups}/other`, { mode: 0o700 })
    unit.gateway.emit('group-removed', { agentGroupID: 'other' as AgentGroupID })
    await waitFor(async () => !(await isThere(`${groups}/other`)), { what: 'files set aside', deadline })
  })
})
