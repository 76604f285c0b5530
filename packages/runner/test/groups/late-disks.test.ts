// Trials of disks that are made again: one at a time, held up by nobody who stops, and known to whoever removes old files.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { closeOrphans, type Disks } from '@gatehouse/engine'
import { readMountsBelow, silentLogger, waitFor } from '@gatehouse/kernel'
import { GroupDisks, DiskRetries } from '../../src/groups/disks.ts'
import { sweepRemovedGroups } from '../../src/removed-groups.ts'
import { FakeGateway } from '../fixtures/gateway.ts'

const asRoot = process.geteuid?.() === 0 ? false : 'needs root: for mounting'
const { group } = new FakeGateway()
const { signal: never } = new AbortController()
const aborted = { name: 'AbortError' }

const refusedUntil = (again: () => Promise<Disks>) => {
  const trials = { count: 0 }
  const found = {
    refused: 'a program was killed',
    again: () => {
      trials.count += 1
      return again()
    },
  }
  return { found, trials }
}

/** A group whose files are in an image. */
const open = async (t: TestContext) => {
  const groups = await mkdtemp(join(tmpdir(), 'gh-trial-'))
  t.after(async () => {
    await closeOrphans(groups)
    await rm(groups, { recursive: true, force: true })
  })
  await mkdir(join(groups, '.disks'))
  await writeFile(join(groups, `.disks/${group.id}.img`), '')
  const stop = new AbortController()
  return { groups, stop, disks: new GroupDisks({ groups, log: silentLogger, closing: stop.signal }) }
}

describe('a trial of disks that is made again', { timeout: 60_000 }, () => {
  it('is one, however many want their disk meanwhile and afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<Disks>()
    const { found, trials } = refusedUntil(() => promise)
    const late = new DiskRetries(never)
    const wanted = [1, 2, 3].map(() => late.of(found, async () => true))
    // All of them have asked by then.
    await new Promise(setImmediate)
    const made: Disks = { programs: {} as never }
    resolve(made)
    assert.deepEqual(await Promise.all(wanted), [made, made, made])
    assert.equal(await late.of(found, async () => true), made)
    assert.equal(trials.count, 1)
  })

  it('that does not end holds up no launch that nobody wants any more, and nobody when the runner stops', async (t) => {
    const { stop, disks } = await open(t)
    const { found, trials } = refusedUntil(() => new Promise(() => undefined))
    const gone = new AbortController()
    const opened = disks.open(found, group, { id: 'run-1', signal: gone.signal })
    const lent = disks.lend(found, group.id, async () => undefined)
    const refused = [assert.rejects(opened, aborted), assert.rejects(lent, aborted)]
    await waitFor(() => trials.count === 1, { what: 'a trial' })
    gone.abort()
    await refused[0]
    stop.abort()
    await refused[1]
    await disks.close(1)
    assert.equal(trials.count, 1)
  })

  it('does not begin when the runner stops', async (t) => {
    const { stop, disks } = await open(t)
    const { found, trials } = refusedUntil(async () => ({ programs: {} as never }))
    stop.abort()
    await assert.rejects(
      disks.lend(found, group.id, async () => undefined),
      aborted,
    )
    assert.equal(trials.count, 0)
  })

  it('leaves nothing mounted when the runner stops in the middle of it', { skip: asRoot }, async (t) => {
    const { groups, stop, disks } = await open(t)
    await mkdir(join(groups, '.trial'))
    const going = Promise.withResolvers<void>()
    const { found, trials } = refusedUntil(async () => {
      await going.promise
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(groups, '.trial')])
      return { refused: 'killed once more' }
    })
    const lent = disks.lend(found, group.id, async () => undefined)
    const refused = assert.rejects(lent, aborted)
    await waitFor(() => trials.count === 1, { what: 'a trial' })
    stop.abort()
    await refused
    const closed = disks.close()
    // Time enough for one that does not wait.
    for (let count = 0; count < 50; count += 1) await stat(groups)
    going.resolve()
    await closed
    await new Promise(setImmediate)
    assert.deepEqual(await readMountsBelow(groups), [])
  })

  it('gives the disk of a removed group back too, which nobody else wants', async (t) => {
    const { groups, disks } = await open(t)
    await mkdir(join(groups, '.removed/old.1'), { recursive: true })
    await writeFile(join(groups, '.removed/old.1/old.disk'), `16-01 ${'0'.repeat(32)}\n`)
    // The disk itself is gone with its image.
    const programs = { remove: (path: string) => rm(path) }
    const { found, trials } = refusedUntil(async () => ({ premade: { directory: join(groups, 'none'), programs: programs as never } }))
    const posture = { settled: async () => undefined, disks: async () => found }
    const gateway = { groups: async () => [group.id] }
    await sweepRemovedGroups({ disks, posture, gateway, times: { removed: 0 }, log: silentLogger, closing: never } as never)
    assert.deepEqual(await readdir(join(groups, '.removed')), [])
    assert.equal(trials.count, 1)
  })
})
