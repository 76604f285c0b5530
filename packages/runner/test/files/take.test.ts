// Files given to a group and fetched from it, through the handlers of the runner: whole or not at all, also on a full disk.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { limits, type Params, type runnerControlPlane } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { putFile } from '../../src/files/put.ts'
import { refusing } from '../../src/files/refusal.ts'
import { Uploads } from '../../src/files/uploads.ts'
import { noDriver, openUnit, type Unit } from '../fixtures/unit.ts'

type Edge = typeof runnerControlPlane
const context = { requestId: 'test', traceparent: undefined, signal: new AbortController().signal }
const where = { agentGroupID: 'dev-agent', place: 'workspace' } as Pick<Params<Edge, 'fileBegin'>, 'agentGroupID' | 'place'>

const partsOf = (data: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(data.length / limits.filePart) }, (_, index) =>
    data.subarray(index * limits.filePart, (index + 1) * limits.filePart),
  )

const put = async ({ runner }: Unit, path: string, data: Buffer): Promise<void> => {
  const { upload } = await runner.controlPlane.fileBegin({ ...where, path }, context)
  for (const part of partsOf(data)) await runner.controlPlane.filePart({ upload, data: part.toString('base64') }, context)
  await runner.controlPlane.fileEnd({ upload, most: 64 }, context)
}

const fetch = async ({ runner }: Unit, path: string): Promise<Buffer> => {
  const parts: Buffer[] = []
  for (let [offset, size, tag]: [number, number, string | undefined] = [0, 1, undefined]; offset < size;) {
    const answer = await runner.controlPlane.fileRead(
      { ...where, path, offset, length: limits.filePart, ...(tag !== undefined && { tag }) } as Params<Edge, 'fileRead'>,
      context,
    )
    const part = Buffer.from(answer.data, 'base64')
    parts.push(part)
    offset += part.length
    ;({ size, tag } = answer)
  }
  return Buffer.concat(parts)
}

const incoming = (unit: Unit): Promise<string[]> => readdir(join(unit.stateDir, 'groups/.incoming'))

test('gives a group that never ran a file of many parts, and fetches it as it was', async (t: TestContext) => {
  const unit = await openUnit(t)
  const data = randomBytes(limits.file)
  await put(unit, 'in/deep/report.bin', data)
  const back = await fetch(unit, 'in/deep/report.bin')
  assert.equal(createHash('sha256').update(back).digest('hex'), createHash('sha256').update(data).digest('hex'))
  assert.equal((await lstat(join(unit.stateDir, 'groups/dev-agent/workspace/in/deep/report.bin'))).mode & 0o777, 0o600)
  assert.deepEqual(await incoming(unit), [])
  assert.deepEqual((await unit.session())?.launches, 0)
})

test(
  'gives it to whom the sandboxes of the group run as',
  { skip: process.geteuid?.() === 0 ? false : 'needs root, run the tests as root' },
  async (t: TestContext) => {
    const owner = { uid: 70_123, gid: 70_124 }
    const unit = await openUnit(t, { driver: { ...(await noDriver()), owner: () => owner } })
    await put(unit, 'in/report.md', Buffer.from('x'))
    for (const path of ['', '/in', '/in/report.md']) {
      const { uid, gid } = await lstat(join(unit.stateDir, `groups/dev-agent/workspace${path}`))
      assert.deepEqual({ uid, gid }, owner, path)
    }
  },
)

test('keeps nothing of a file that is too large, given up or never ended', async (t: TestContext) => {
  const unit = await openUnit(t)
  await assert.rejects(put(unit, 'large', Buffer.alloc(limits.file + 1)), { code: 'too-large' })
  const { upload } = await unit.runner.controlPlane.fileBegin({ ...where, path: 'given-up' }, context)
  await unit.runner.controlPlane.fileDrop({ upload }, context)
  await assert.rejects(async () => unit.runner.controlPlane.fileEnd({ upload, most: 64 }, context), { code: 'conflict' })
  assert.deepEqual(await incoming(unit), [])
  assert.deepEqual((await unit.runner.controlPlane.fileList({ ...where, path: '', limit: 10 }, context)).items, [])
})

test('takes so many files at once and no more, and forgets one whose parts do not come', async (t: TestContext) => {
  const unit = await openUnit(t)
  const uploads = new Uploads(unit.stateDir, 1)
  t.after(() => uploads.close())
  await uploads.begin({ ...where, path: 'late' })
  await waitFor(async () => (await incoming(unit)).length === 0, { what: 'nothing of the file whose parts do not come' })
  const begin = async () => unit.runner.controlPlane.fileBegin({ ...where, path: 'x' }, context)
  for (let index = 0; index < limits.filePuts; index += 1) await begin()
  await assert.rejects(begin, { code: 'queue-full' })
})

test('says no-sandbox where nothing is launched, and lists what there is', async (t: TestContext) => {
  const unit = await openUnit(t, { driver: { refused: 'planted' } })
  await waitFor(async () => (await unit.posture()).status === 'refused', { what: 'a posture' })
  await assert.rejects(put(unit, 'x', Buffer.from('x')), { code: 'no-sandbox' })
  assert.deepEqual(await unit.runner.controlPlane.fileList({ ...where, path: '', limit: 10 }, context), { items: [] })
  // A disk that is not mounted may be so in a moment; a message that nobody answers is not waited for.
  await mkdir(`${unit.stateDir}/groups/.disks`, { recursive: true })
  await writeFile(`${unit.stateDir}/groups/.disks/${where.agentGroupID}.img`, '')
  await assert.rejects(put(unit, 'x', Buffer.from('x')), { code: 'unavailable' })
  await assert.rejects(async () => unit.runner.channels.fileBegin({ ...where, path: 'x' }, context), { code: 'no-sandbox' })
})

test('says that the disk is full, keeps nothing of the file, and takes the next one that fits', { skip: noSmallDisk }, async () => {
  await onSmallDisk('6m', async (stateDir) => {
    const root = join(stateDir, 'groups/dev-agent/workspace')
    await mkdir(root, { recursive: true })
    const uploads = new Uploads(stateDir)
    const give = (path: string, data: Buffer): Promise<void> =>
      refusing(path, async () => {
        const id = await uploads.begin({ ...where, path })
        try {
          for (const part of partsOf(data)) await uploads.add(id, part)
          await putFile(uploads.take(id), { root, owner: undefined, most: 64 })
        } finally {
          await uploads.drop(id)
        }
      })
    const full = { code: 'unavailable', message: /on the disk of the unit/ }
    await assert.rejects(give('spooled', randomBytes(8 * 1024 * 1024)), full)
    await assert.rejects(give('copied', randomBytes(4 * 1024 * 1024)), full)
    assert.deepEqual(await readdir(root), [])
    assert.deepEqual(await readdir(join(stateDir, 'groups/.incoming')), [])
    await give('small', Buffer.from('x'))
    assert.deepEqual(await readdir(root), ['small'])
  })
})

test('says that it is the disk of the group that is full, where the unit has room', { skip: noSmallDisk }, async (t: TestContext) => {
  const stateDir = await mkdtemp('/tmp/gh-files-')
  t.after(() => rm(stateDir, { recursive: true, force: true }))
  await mkdir(join(stateDir, 'groups'))
  await onSmallDisk('1m', async (root) => {
    const uploads = new Uploads(stateDir)
    const id = await uploads.begin({ ...where, path: 'large' })
    for (const part of partsOf(randomBytes(4 * 1024 * 1024))) await uploads.add(id, part)
    const put = putFile(uploads.take(id), { root, owner: undefined, most: 64 })
    await assert.rejects(
      refusing('large', () => put),
      { code: 'too-large', message: /on the disk of its group/ },
    )
    await uploads.drop(id)
    assert.deepEqual(await readdir(root), [])
  })
})
