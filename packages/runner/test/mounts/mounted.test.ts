// Approved mounts in real walls: there as they were approved, refused when they are not what they were, gone when they were taken away.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test'
import type { PinnedMount } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { lacking, openSealed } from '../fixtures/sealed.ts'
import { agentPath, type Unit } from '../fixtures/unit.ts'

const deadline = 45_000
let allowed = ''
let source = ''

const make = async (path: string, text: string): Promise<void> => {
  await mkdir(path)
  await chmod(path, 0o777)
  await writeFile(join(path, 'file'), text)
  await chmod(join(path, 'file'), 0o644)
}

const pinned = async (path: string, more: Partial<PinnedMount> = {}): Promise<PinnedMount> => {
  const { dev, ino } = await stat(path, { bigint: true })
  return { source: path, target: '/mnt/data', mode: 'ro', device: String(dev), inode: String(ino), ...more }
}

const open = (t: TestContext, narrowing = 1): Promise<Unit> =>
  openSealed(t, { agent: agentPath, mountAllow: [allowed], times: { narrowing } })

const parked = (unit: Unit) =>
  waitFor(async () => (await unit.session())?.state === 'parked' && (await unit.session()), { what: 'a parked session', deadline })

const change = (unit: Unit, narrowing: boolean): void =>
  unit.gateway.emit('group-changed', { agentGroupID: unit.gateway.group.id, changeID: unit.gateway.changeID, narrowing })

describe('a mount', { skip: lacking }, () => {
  beforeEach(async () => {
    allowed = await mkdtemp('/tmp/gh-mounts-')
    await chmod(allowed, 0o755)
    source = join(allowed, 'data')
    await make(source, 'of the host')
  })
  afterEach(() => rm(allowed, { recursive: true, force: true }))

  it('is there to be read, or to be written where that was approved, with nothing beside it', async (t) => {
    const unit = await open(t)
    const [other, file] = [join(allowed, 'other'), join(source, 'file')]
    await make(other, 'of the host too')
    unit.gateway.group.mounts = [
      await pinned(source),
      await pinned(other, { target: '/mnt/own', mode: 'rw' }),
      await pinned(file, { target: '/mnt/one' }),
    ]
    assert.equal(await unit.chat('look /mnt/data/file'), 'of the host EROFS')
    assert.equal(await unit.chat('look /mnt/own/file'), 'of the host too written')
    assert.equal(await unit.chat('look /mnt/one'), 'of the host EROFS')
    assert.equal(await unit.chat('look /mnt/none'), 'ENOENT EROFS')
  })

  it('that is taken away is gone from a sandbox that is busy, and its message is answered by the next one', async (t) => {
    const unit = await open(t)
    unit.gateway.group.mounts = [await pinned(source)]
    assert.equal(await unit.chat('look /mnt/data/file'), 'of the host EROFS')
    const { messageId } = await unit.send('hang')
    assert.equal(await unit.replyTo(messageId), 'hanging')
    unit.gateway.group.mounts = []
    change(unit, true)
    await waitFor(async () => (await unit.session())?.launches === 2, { what: 'another launch', deadline })
    await unit.cancel((await unit.session())!.id).catch(() => undefined)
    await waitFor(
      async () => {
        const { id, waiting } = (await unit.session())!
        if (waiting > 0) await unit.cancel(id).catch(() => undefined)
        return waiting === 0
      },
      { what: 'nothing that waits', deadline, every: 100 },
    )
    assert.equal(await unit.chat('look /mnt/data/file'), 'ENOENT ENOENT')
  })

  const exchanges: Record<string, () => Promise<unknown>> = {
    'another directory': async () => {
      await rename(source, `${source}.away`)
      await make(source, 'exchanged')
    },
    'a link to another place': async () => {
      await rename(source, `${source}.away`)
      await make(join(allowed, 'elsewhere'), 'exchanged')
      await symlink(join(allowed, 'elsewhere'), source)
    },
    'a link out of what is allowed': async () => {
      await rename(source, `${source}.away`)
      await symlink('/etc', source)
    },
    nothing: () => rename(source, `${source}.away`),
  }
  for (const [what, exchange] of Object.entries(exchanges)) {
    it(`that is ${what} by now keeps its session from being launched, until it is back`, async (t) => {
      const unit = await open(t)
      unit.gateway.group.mounts = [await pinned(source)]
      await exchange()
      await unit.send('hello')
      const { id, lastExit, waiting } = await parked(unit)
      assert.match(lastExit ?? '', /is not what was approved/)
      assert.equal(waiting, 1)
      await rm(source, { recursive: true, force: true })
      await rename(`${source}.away`, source)
      await unit.resume(id)
      await waitFor(async () => (await unit.texts()).includes('echo: hello'), { what: 'an answer', deadline })
    })
  }

  it('that nobody saw, or that lies where none is allowed, is refused', async (t) => {
    const unit = await open(t)
    const { device: _device, inode: _inode, ...blind } = await pinned(source)
    unit.gateway.group.mounts = [blind]
    await unit.send('hello')
    const { id } = await parked(unit)
    unit.gateway.group.mounts = [await pinned('/usr')]
    await unit.resume(id)
    assert.match((await parked(unit)).lastExit ?? '', /SERVICE_MOUNT_ALLOW/)
  })
})
