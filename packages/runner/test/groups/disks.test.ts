// The disk of a group in the life of a runner: its limit is real and followed, nothing stays mounted, and what is removed is kept for a while.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { closeOrphans, type Disks, openDisk, prepareDisks } from '@gatehouse/engine'
import { silentLogger, waitFor } from '@gatehouse/kernel'
import { GroupDisks } from '../../src/groups/disks.ts'
import { FakeGateway } from '../fixtures/gateway.ts'
import { lacking, openSealed } from '../fixtures/sealed.ts'
import { agentPath, noDriver, openUnit, type Unit } from '../fixtures/unit.ts'

const deadline = 60_000
const { signal: closing } = new AbortController()
const skip = lacking !== false ? lacking : process.geteuid?.() === 0 ? false : 'needs root: for mounting the disks of groups'

const mountedBelow = async (directory: string): Promise<string[]> =>
  (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.split(' ')[1]?.startsWith(directory))

const hear = (unit: Unit, pattern: RegExp) =>
  waitFor(async () => (await unit.texts()).find((text) => pattern.test(text)), { what: String(pattern), deadline })

const madeBy = async (unit: Unit): Promise<number> => {
  const [made, refused] = (await unit.chat('fill')).split(' ')
  assert.equal(refused, 'ENOSPC')
  return Number(made)
}

describe('the disk of a group', { skip, timeout: 240_000 }, () => {
  it('ends at its limit, which people are told; grows when the limit does; and is gone with the runner', async (t) => {
    const unit = await openSealed(t, { agent: agentPath })
    unit.gateway.group.limits = { workspaceMiB: 16 }
    const first = await madeBy(unit)
    assert.ok(first >= 14 && first <= 17, `${first} MiB`)
    await hear(unit, /can write nothing more: the disk of its group is full: it has room for 1\d MiB/)
    await unit.send('exit 1')
    await hear(unit, /was stopped: the disk of its group is full/)
    assert.equal(await unit.count('group_limit_reached_total', 'workspaceMiB'), 1, 'counted once for the sandbox')
    await unit.stop()
    assert.deepEqual(await mountedBelow(unit.home), [])
    unit.gateway.group.limits = { workspaceMiB: 40 }
    await unit.start()
    const home = `${unit.stateDir}/groups/dev-agent`
    const sized = async (): Promise<boolean> => {
      const { blocks, bsize } = await statfs(home)
      return blocks * bsize > 38 * 1024 * 1024 && blocks * bsize < 48 * 1024 * 1024
    }
    await waitFor(sized, { what: 'a larger disk', deadline })
    assert.equal((await stat(`${home}/workspace/fill-0`)).size, 1024 * 1024)
  })

  it('is mounted anew by a runner that finds it mounted by one that died', async (t) => {
    const unit = await openSealed(t, { agent: agentPath })
    await unit.chat('hello')
    await unit.stop()
    const groups = `${unit.stateDir}/groups`
    const disks = await prepareDisks(groups)
    assert.ok('programs' in disks)
    await openDisk(disks.programs, { image: `${groups}/.disks/dev-agent.img`, point: `${groups}/dev-agent`, MiB: 1024 }, { quiet: true })
    await writeFile(`${groups}/dev-agent/workspace/kept`, 'of the one that died')
    await unit.start()
    assert.equal(await unit.chat('look /workspace/kept'), 'of the one that died written')
    assert.equal((await mountedBelow(`${groups}/dev-agent`)).length, 1)
    await unit.stop()
    await unit.start()
    const { items } = await unit.files()
    assert.deepEqual(
      items.map(({ name }) => name),
      ['kept', 'kept.own'],
    )
  })
})

describe('a group with a disk, where a trial of disks failed at the start', { skip, timeout: 120_000 }, () => {
  it('has its disk by another trial, and keeps it from those that look; without one nothing is tried', async (t) => {
    const groups = await mkdtemp(join(tmpdir(), 'gh-late-'))
    t.after(async () => {
      await closeOrphans(groups)
      await rm(groups, { recursive: true, force: true })
    })
    const { group } = new FakeGateway()
    const run = { id: 'run-1', signal: new AbortController().signal }
    const found = await prepareDisks(groups)
    await new GroupDisks({ groups, log: silentLogger, closing }).open(found, group, run)
    await writeFile(`${groups}/${group.id}/kept`, 'before')
    await closeOrphans(groups)

    const disks = new GroupDisks({ groups, log: silentLogger, closing })
    let trials = 0
    const again = async (): Promise<Disks> => {
      trials += 1
      if (trials === 1) throw new Error('killed once more')
      return prepareDisks(groups)
    }
    const refused = { refused: 'a program was killed', again }
    assert.equal(await disks.open(refused, { ...group, id: 'other' as never }, run), undefined)
    assert.deepEqual(await mountedBelow(groups), [])
    await assert.rejects(disks.open({ refused: 'needs root' }, group, run), { code: 'unavailable' })
    await assert.rejects(disks.open(refused, group, run), { code: 'unavailable', message: /killed once more/ })
    assert.equal(await disks.open(refused, group, run), `${groups}/${group.id}`)
    assert.equal(await readFile(`${groups}/${group.id}/kept`, 'utf8'), 'before')
    await disks.lend(refused, group.id, async () => assert.equal((await mountedBelow(`${groups}/${group.id}`)).length, 1))
    assert.equal(await disks.whileClosed(group.id, async () => undefined), false)
    assert.equal(trials, 2)
  })
})

describe('the files of a group that is gone', { skip, timeout: 240_000 }, () => {
  it('are set aside with its disk, kept for their time, and then removed', async (t) => {
    const unit = await openSealed(t, { agent: agentPath })
    await unit.chat('look /workspace/note')
    unit.gateway.groupIsGone = true
    unit.gateway.close((await unit.session())!.id)
    unit.gateway.emit('group-removed', { agentGroupID: unit.gateway.group.id })
    const removed = `${unit.stateDir}/groups/.removed`
    const [place] = await waitFor(
      async () =>
        readdir(removed).then(
          (names) => names.length > 0 && names,
          () => undefined,
        ),
      {
        what: 'files set aside',
        deadline,
      },
    )
    assert.match(place ?? '', /^dev-agent\.\d+$/)
    await waitFor(async () => (await readdir(`${removed}/${place}`)).length === 2, { what: 'its disk and its directory', deadline })
    assert.deepEqual((await readdir(`${removed}/${place}`)).toSorted(), ['dev-agent.img', 'files'])
    await unit.stop()
    await unit.start({ times: { removed: 0 } })
    await waitFor(async () => (await readdir(removed)).length === 0, { what: 'no files', deadline })
  })
})

describe('the files of groups', { timeout: 120_000 }, () => {
  it('stay where they are while the gateway does not say which groups there are', async (t) => {
    const unit = await openUnit(t)
    await unit.chat('hello')
    await mkdir(`${unit.stateDir}/groups/other`, { mode: 0o700 })
    unit.gateway.down = true
    unit.gateway.emit('group-removed', { agentGroupID: 'other' as never })
    await waitFor(() => unit.lines.some((line) => line.includes('could not move the files of a removed group aside')), {
      what: 'a warning',
      deadline,
    })
    assert.ok((await readdir(`${unit.stateDir}/groups`)).includes('other'))
    unit.gateway.down = false
    unit.gateway.emit('group-removed', { agentGroupID: 'other' as never })
    await waitFor(async () => !(await readdir(`${unit.stateDir}/groups`)).includes('other'), { what: 'files set aside', deadline })
    assert.ok((await readdir(`${unit.stateDir}/groups`)).includes('dev-agent'))
  })
})

describe('files that are kept no longer', { timeout: 120_000 }, () => {
  it('go however deep they lie and however they are called, and one that cannot go keeps no other', async (t) => {
    const unit = await openUnit(t)
    await unit.stop()
    const removed = `${unit.stateDir}/groups/.removed`
    const deep = `${'d'.repeat(250)}/`.repeat(14)
    for (const chain of ['upper', 'lower']) await mkdir(`${removed}/deep.1/files/${chain}/${deep}`, { recursive: true })
    await rename(`${removed}/deep.1/files/lower`, `${removed}/deep.1/files/upper/${deep}lower`)
    await writeFile(Buffer.concat([Buffer.from(`${removed}/deep.1/files/`), Buffer.from([0xff, 0xfe])]), 'x')
    await symlink(unit.stateDir, `${removed}/deep.1/files/link`)
    // No directory at all.
    await writeFile(`${removed}/bad.1`, '')
    await mkdir(`${removed}/young.${Date.now()}`)
    await unit.start({ times: { removed: 60_000 } })
    await waitFor(async () => !(await readdir(removed)).includes('deep.1'), { what: 'no deep files', deadline })
    await waitFor(() => unit.lines.some((line) => /could not remove.*bad\.1/.test(line)), { what: 'a warning', deadline })
    assert.equal((await readdir(removed)).length, 2)
    assert.ok((await readdir(unit.stateDir)).includes('queues'))
  })
})

describe('a group whose disk cannot be mounted here', { timeout: 120_000 }, () => {
  it('is not launched with an empty place of work, not listed as empty, and named to a backup', async (t) => {
    const unit = await openUnit(t)
    const image = `${unit.stateDir}/groups/.disks/dev-agent.img`
    await mkdir(`${unit.stateDir}/groups/.disks`, { mode: 0o700 })
    await writeFile(image, '')
    const { messageId } = await unit.send('hello')
    await waitFor(
      () => unit.lines.some((line) => /launch postponed.*cannot be mounted: the driver none provides no isolation/.test(line)),
      {
        what: 'a launch that is put off',
        deadline,
      },
    )
    await assert.rejects(unit.files(), { code: 'unavailable', message: /cannot be mounted/ })
    const call = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }
    assert.deepEqual((await unit.runner.backup.openDisks({}, call)).closed, ['dev-agent'])
    await rm(image)
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
  })

  it('is not waited for by a launch that nobody wants any more', async () => {
    const disks = new GroupDisks({ groups: '/nowhere', log: silentLogger, closing })
    const group = new FakeGateway().group
    const busy = Promise.withResolvers<void>()
    const lent = disks.lend({ refused: 'planted' }, group.id, () => busy.promise)
    const gone = new AbortController()
    const opened = disks.open({ programs: {} as never }, group, { id: 'run-1', signal: gone.signal })
    gone.abort()
    await assert.rejects(opened, { name: 'AbortError' })
    busy.resolve()
    await lent
    assert.equal(await disks.whileClosed(group.id, async () => undefined), true)
  })
})

describe('a sandbox that wanted more processes than it may have', { timeout: 120_000 }, () => {
  it('is told to its people as such, and journaled as a kill', async (t) => {
    const driver = await noDriver()
    const crowded: typeof driver = {
      ...driver,
      launch: async (spec) => {
        const sandbox = await driver.launch(spec)
        return { ...sandbox, exited: sandbox.exited.then((exit) => ({ ...exit, reason: 'out-of-processes' as const })) }
      },
    }
    const unit = await openUnit(t, { driver: crowded })
    await unit.send('exit 1')
    await hear(unit, /The agent was stopped: it wanted more processes and threads than it may have/)
    await waitFor(() => unit.gateway.notes.some(({ stage }) => stage === 'kill'), { what: 'a line of the kill', deadline })
  })
})
