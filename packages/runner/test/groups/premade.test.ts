// Disks that root made beforehand in the life of a runner: a group has one while it is there, and nobody has it unemptied afterwards.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { AgentGroupID } from '@gatehouse/contracts'
import { closeOrphans, type Disks, prepareDisks } from '@gatehouse/engine'
import { createMaker, diskCalled } from '@gatehouse/engine/premade'
import { readMountsBelow, silentLogger, waitFor } from '@gatehouse/kernel'
import { GroupDisks } from '../../src/groups/disks.ts'
import { refuseOtherDisks } from '../../src/groups/mount.ts'
import { FakeGateway } from '../fixtures/gateway.ts'
import { lacking, openSealed } from '../fixtures/sealed.ts'
import { agentPath, noDriver, openUnit, type Unit } from '../fixtures/unit.ts'

const deadline = 60_000
const { signal: closing } = new AbortController()
const skip = lacking !== false ? lacking : process.geteuid?.() === 0 ? false : 'needs root: for making the disks of groups'
const root = { uid: 0, gid: 0 }
const call = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }

/** As `gatehouse setup` makes them. */
const makeDisks = async (t: TestContext, names: readonly string[]): Promise<string> => {
  const directory = await mkdtemp('/tmp/gh-premade-')
  await chmod(directory, 0o711)
  const maker = await createMaker()
  if ('refused' in maker) throw new Error(maker.refused)
  for (const name of names) {
    const disk = diskCalled(directory, name)
    assert.ok(disk)
    await maker.make(disk, root)
    await maker.mount(disk, root)
  }
  t.after(async () => {
    await closeOrphans(directory)
    await rm(directory, { recursive: true, force: true })
  })
  return directory
}

describe('a group whose unit was given disks', { skip, timeout: 240_000 }, () => {
  it('has a disk of exactly its size, which is emptied some time after the group is removed', async (t) => {
    const groupDisks = await makeDisks(t, ['16-trial', '16-01', '40-01'])
    const unit = await openSealed(t, { agent: agentPath, groupDisks })
    const { messageId } = await unit.send('fill')
    const refused =
      'there is no disk of 1024 MiB for groups, there are 1 of 16 MiB, 1 of 40 MiB: gatehouse setup --disks 1x1024 creates one'
    await waitFor(async () => (await unit.session())?.lastExit?.includes(refused), {
      what: 'a refusal that says what to do',
      deadline,
    })
    // As a state leaves it that knew another group, and was rolled back.
    await writeFile(`${groupDisks}/16-01/.disk`, 'of another state')
    unit.gateway.group.limits = { workspaceMiB: 16 }
    await unit.resume((await unit.session())!.id)
    const [made, code] = (await unit.replyTo(messageId)).split(' ')
    assert.equal(code, 'ENOSPC')
    assert.ok(Number(made) >= 14 && Number(made) <= 17, `${made} MiB`)
    const groups = `${unit.stateDir}/groups`
    assert.match(await readFile(`${groups}/.disks/dev-agent.disk`, 'utf8'), /^16-01 /)
    assert.ok(unit.lines.some((line) => /files of an unknown group.*16-01/.test(line)))
    assert.ok((await readdir(`${groupDisks}/16-01/workspace`)).length >= 14)
    unit.gateway.groupIsGone = true
    unit.gateway.close((await unit.session())!.id)
    unit.gateway.emit('group-removed', { agentGroupID: unit.gateway.group.id })
    const isAside = async (): Promise<boolean> => {
      const [place] = await readdir(`${groups}/.removed`).catch(() => [])
      return place !== undefined && (await readdir(`${groups}/.removed/${place}`)).toSorted().join(' ') === 'dev-agent.disk files'
    }
    await waitFor(isAside, { what: 'its reference and its directory set aside', deadline })
    assert.ok((await readdir(`${groupDisks}/16-01/workspace`)).length >= 14)
    await unit.stop()
    assert.deepEqual(await readdir(`${groups}/.disks`), [])
    await unit.start({ times: { removed: 0 } })
    await waitFor(async () => (await readdir(`${groups}/.removed`)).length === 0, { what: 'no files', deadline })
    assert.deepEqual(await readdir(`${groupDisks}/16-01`), ['lost+found'])
  })
})

/** Gives the group of the unit, which is stopped, a disk with one file. */
const giveDisk = async ({ stateDir, gateway: { group } }: Unit, groupDisks: string): Promise<void> => {
  const groups = `${stateDir}/groups`
  const disks = new GroupDisks({ groups, log: silentLogger, closing })
  await disks.open(await prepareDisks(groups, groupDisks), group, { id: 'run-1', signal: new AbortController().signal })
  await mkdir(`${groups}/${group.id}/workspace`, { mode: 0o700 })
  await writeFile(`${groups}/${group.id}/workspace/kept`, 'before')
  await closeOrphans(groups)
}

describe('the disk of a group whose unit launches nothing', { skip, timeout: 120_000 }, () => {
  it('is there for people and for a backup all the same, where its seal does not hold', async (t) => {
    const groupDisks = await makeDisks(t, ['16-trial', '1024-01'])
    const unit = await openUnit(t)
    await unit.stop()
    await giveDisk(unit, groupDisks)
    const launch = () => Promise.reject(new Error('planted'))
    const driver = { ...(await noDriver()), name: 'bubblewrap' as const, launch }
    await unit.start({ driver, sandbox: 'bubblewrap', mode: 'production', groupDisks })
    assert.deepEqual((await unit.runner.backup.openDisks({}, call)).closed, [])
    assert.equal((await unit.posture()).status, 'refused')
    assert.equal(await readFile(`${unit.stateDir}/groups/dev-agent/workspace/kept`, 'utf8'), 'before')
    assert.deepEqual(
      (await unit.files()).items.map(({ name }) => name),
      ['kept'],
    )
  })
})

describe('the disk of a group that has to be mended', { skip, timeout: 120_000 }, () => {
  it('is let go by whoever looks while no sandbox uses it, and stays with words while one does', async (t) => {
    const groupDisks = await makeDisks(t, ['16-trial', '1024-01'])
    const groups = await mkdtemp('/tmp/gh-mended-')
    t.after(async () => {
      await closeOrphans(groups)
      await rm(groups, { recursive: true, force: true })
    })
    const { group } = new FakeGateway()
    const [run, point, disk] = [{ id: 'run-1', signal: new AbortController().signal }, join(groups, group.id), `${groupDisks}/1024-01`]
    const [found, disks] = [await prepareDisks(groups, groupDisks), new GroupDisks({ groups, log: silentLogger, closing })]
    const look = () => disks.lend(found, group.id, () => readdir(point))
    await disks.open(found, group, run)
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const inUse = { code: 'unavailable', message: /1024-01 is read-only: .*stop the unit first/ }
    await assert.rejects(look, inUse)
    assert.equal((await readMountsBelow(point)).length, 1)
    disks.release(run.id)
    await assert.rejects(look, { code: 'unavailable', message: /1024-01 is read-only: .*mount it again$/ })
    assert.equal((await readMountsBelow(point)).length, 0)
    execFileSync('mount', ['-o', 'remount,rw', disk])
    assert.deepEqual((await look()).toSorted(), ['.disk', 'lost+found'])
    execFileSync('mount', ['-o', 'remount,ro', disk])
    disks.reading.begin()
    await assert.rejects(look, inUse)
    assert.equal((await readMountsBelow(point)).length, 1, 'a backup reads')
    await assert.rejects(disks.show(found, group.id), { code: 'unavailable', message: /mount it again$/ })
    assert.equal((await readMountsBelow(point)).length, 0, 'a backup reads nothing yet')
  })
})

describe('a group that is to have another disk', { skip, timeout: 120_000 }, () => {
  it('keeps the one it has while a backup reads, also from a backup that looks at it', async (t) => {
    const groupDisks = await makeDisks(t, ['16-trial', '16-01', '40-01'])
    const groups = await mkdtemp('/tmp/gh-moved-')
    t.after(async () => {
      await closeOrphans(groups)
      await rm(groups, { recursive: true, force: true })
    })
    const { group } = new FakeGateway()
    const disks = new GroupDisks({ groups, log: silentLogger, closing })
    const found = await prepareDisks(groups, groupDisks)
    const launch = async (workspaceMiB: number): Promise<string> => {
      await disks.open(found, { ...group, limits: { workspaceMiB } }, { id: 'run-1', signal: closing })
      disks.release('run-1')
      return (await readFile(`${groups}/.disks/${group.id}.disk`, 'utf8')).slice(0, 5)
    }
    assert.equal(await launch(16), '16-01')
    await mkdir(`${groups}/${group.id}/workspace`)
    await writeFile(`${groups}/${group.id}/workspace/kept`, 'before')
    const reading = disks.reading.begin()
    await disks.show(found, group.id)
    assert.equal(await launch(40), '16-01')
    assert.equal(await readFile(`${groupDisks}/16-01/workspace/kept`, 'utf8'), 'before')
    disks.reading.end(reading)
    assert.equal(await launch(40), '40-01')
    assert.equal(await readFile(`${groupDisks}/40-01/workspace/kept`, 'utf8'), 'before')
  })
})

describe('a group whose files this unit cannot reach', { timeout: 120_000 }, () => {
  const group = 'dev-agent' as AgentGroupID
  const forms: Readonly<Record<string, Disks | undefined>> = {
    made: { programs: {} as never },
    premade: { premade: {} as never },
    none: { refused: 'planted' },
    off: undefined,
  }

  it('is refused, whether an image has them or a disk that was made beforehand', async (t) => {
    const groups = await mkdtemp('/tmp/gh-elsewhere-')
    t.after(() => rm(groups, { recursive: true }))
    await mkdir(join(groups, '.disks'))
    const refusing = async (): Promise<string[]> => {
      const named: string[] = []
      for (const [name, disks] of Object.entries(forms))
        await refuseOtherDisks(groups, group, disks).catch((error: { code: string }) => named.push(`${name} ${error.code}`))
      return named
    }
    assert.deepEqual(await refusing(), [])
    await writeFile(join(groups, '.disks/dev-agent.img'), '')
    assert.deepEqual(await refusing(), ['premade unavailable', 'none unavailable', 'off unavailable'])
    await rm(join(groups, '.disks/dev-agent.img'))
    await writeFile(join(groups, '.disks/dev-agent.disk'), '')
    assert.deepEqual(await refusing(), ['made unavailable', 'none unavailable', 'off unavailable'])
  })

  it('lets nobody take a backup, and what is left of one that is gone stays while its disk is not there', async (t) => {
    const unit = await openUnit(t)
    const reference = `16-01 ${'0'.repeat(32)}\n`
    await mkdir(`${unit.stateDir}/groups/.disks`, { mode: 0o700 })
    await writeFile(`${unit.stateDir}/groups/.disks/dev-agent.disk`, reference)
    const refused = {
      code: 'unavailable',
      message: /would have no file of dev-agent: .*cannot be mounted: the driver none/,
      hint: /fix that/,
    }
    await assert.rejects(async () => unit.runner.backup.openDisks({}, call), refused)
    await unit.stop()
    const removed = `${unit.stateDir}/groups/.removed/old.1`
    await mkdir(removed, { recursive: true })
    await writeFile(`${removed}/old.disk`, reference)
    await unit.start({ times: { removed: 0 } })
    const says = (line: string): boolean => /could not remove.*old\.1.*a disk that this unit does not have now/.test(line)
    await waitFor(() => unit.lines.some(says), { what: 'a warning', deadline })
    assert.deepEqual(await readdir(removed), ['old.disk'])
  })
})
