// A copy of a state directory, and a restored backup, run beside the live unit: it notices nothing of them, in every driver, whoever is
// stopped or killed first. GATEHOUSE_BESIDE chooses scenes by a part of their names, GATEHOUSE_ROUNDS how often.
// Profile: rest. A matrix of every driver and every kind of copy; the judgement itself is tested in packages/engine and apps/supervisor.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test, type TestContext } from 'node:test'
import { demoToken } from '@gatehouse/contracts'
import type { SampleImage } from '@gatehouse/images'
import { execa } from 'execa'
import { descendants, endNow } from '../src/descendants.ts'
import { removeState } from '../src/remove-state.ts'
import { runDirectoryOf } from '../src/run-directory.ts'
import { runStopped } from '../src/stopped.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { marksOf } from '../src/traces.ts'
import { freshDirectory, release, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { belongingsOf, lastingOf, lostOf } from './fixtures/beside/belongings.ts'
import { leftOf, stopAtOnce, stopLast, whenProved } from './fixtures/beside/stops.ts'
import { flagsFor, missingFor, type Scene, scenesFor } from './fixtures/beside/scenes.ts'
import { ask, startTalk, type Talk } from './fixtures/beside/talk.ts'
import { dropImage, type EngineName, ownImage } from './fixtures/container-world.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const rounds = Number(process.env['GATEHOUSE_ROUNDS'] ?? (isFull ? 5 : 1))
const patience = 120_000

const found = scenesFor(isFull, process.env['GATEHOUSE_BESIDE'])
const scenes = await Promise.all(found.map(async (scene) => ({ ...scene, skip: await missingFor(scene) })))
const images = new Map<EngineName, SampleImage>()
for (const { tools, engine } of scenes) if (tools === 'container' && !images.has(engine)) images.set(engine, await ownImage(engine))
after(async () => {
  for (const [engine, image] of images) await dropImage(engine, image)
})

const [withoutEngine] = scenesFor(true, 'oci with runc, without tool servers')
assert.ok(withoutEngine !== undefined)

const entryFor = ({ tools }: Scene) =>
  tools === 'container'
    ? { transport: 'stdio' as const, command: '/bin/node', args: ['/app/mcp-sample.mjs'] }
    : { transport: 'stdio' as const, command: process.execPath, args: [join(release, 'mcp-sample.mjs')] }

/** A copy has the grant already, but for the mode that begins with none. */
const grantSample = async (unit: Unit, scene: Scene, group: string): Promise<void> => {
  if (scene.tools === 'none' || (await unit.client.grants.list({ agentGroupID: group })).items.length > 0) return
  await unit.client.servers.put('sample', entryFor(scene))
  // A busy host may start the server too late for one probe.
  await waitFor('the tools of the server', patience, () => unit.client.servers.probe('sample'))
  const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: group, after: { server: 'sample', tools: ['echo'] } })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
}

/** Whoever restores has looked through what is valid again. */
const unfreeze = async ({ client }: Unit): Promise<void> => {
  if ((await client.status()).frozen.length > 0) await client.freezes.unfreeze({ reason: 'looked through' })
}

class Beside {
  #scene: Scene
  readonly #folder: string
  readonly #units: Unit[] = []

  constructor(scene: Scene, folder: string) {
    this.#scene = scene
    this.#folder = folder
  }

  get group(): string {
    return `${this.#scene.mode === 'dev' ? 'dev' : 'mock'}-agent`
  }

  get hasTools(): boolean {
    return this.#scene.tools !== 'none'
  }

  /** What is started from now on runs with other flags. */
  change(scene: Scene): void {
    this.#scene = scene
  }

  directory(name: string): string {
    return join(this.#folder, name)
  }

  async start(name: string): Promise<Unit> {
    const stateDir = this.directory(name)
    const token = this.#scene.mode === 'demo' ? { token: demoToken } : {}
    const unit = await startUnit({ flags: flagsFor(this.#scene, stateDir, images.get(this.#scene.engine)?.image), ...token, stateDir })
    this.#units.push(unit)
    await unfreeze(unit)
    await grantSample(unit, this.#scene, this.group)
    return unit
  }

  /** Gives answers, by sandboxes and tools of its own. */
  async use(unit: Unit): Promise<void> {
    await ask(unit, 0, this)
    if (this.hasTools) await ask(unit, 1, this)
  }

  /** While the unit runs, as `cp -a` does it. */
  async copy(): Promise<void> {
    const copied = await execa('cp', ['--archive', this.directory('live'), this.directory('copy')], { reject: false })
    // A file that goes while it is copied, such as the log of a database, is no fault.
    assert.ok(existsSync(join(this.directory('copy'), 'state.json')), copied.stderr)
  }

  async backUp({ address }: Unit, file: string): Promise<void> {
    const args = ['backup', '--passphrase-file', this.directory('passphrase'), '--out', file]
    const { code, stderr } = await runSvcctl(args, { address, token: demoToken, home: this.#folder })
    assert.equal(code, 0, stderr)
  }

  async restore(file: string): Promise<void> {
    const args = ['restore', file, '--passphrase-file', this.directory('passphrase'), '--state-dir', this.directory('restored')]
    const { code, text } = await runStopped(args)
    assert.equal(code, 0, text)
  }

  /** With all that the unit started, so that nothing of it takes part in what comes next. */
  async kill(unit: Unit): Promise<void> {
    const family = await descendants(unit.pid)
    await unit.kill()
    for (const pid of family) endNow(pid)
    await waitFor('the processes of the unit to be gone', patience, () => family.every((pid) => !existsSync(`/proc/${pid}/exe`)))
  }

  async close(): Promise<void> {
    for (const unit of this.#units) await unit.dispose()
    await removeState(this.#folder)
  }
}

const openScene = async (t: TestContext, scene: Scene): Promise<Beside> => {
  const beside = new Beside(scene, await freshDirectory())
  t.after(() => beside.close())
  await writeFile(beside.directory('passphrase'), 'a passphrase of the test 0123456789\n', { mode: 0o600 })
  return beside
}

const moreOf = (talk: Talk): Promise<unknown> => {
  const before = talk.count()
  return waitFor('more messages to be answered', patience, () => talk.count() > before + 2)
}

const talkTo = async (live: Unit, beside: Beside): Promise<Talk> => {
  const talk = startTalk(live, beside)
  await moreOf(talk)
  return talk
}

/** A unit under load notices nothing of a copy and of a restored backup that start, work, stop and are killed beside it. */
const besideRound = async (beside: Beside, live: Unit, round: number): Promise<{ second: Unit; messages: number }> => {
  const talk = await talkTo(live, beside)
  const before = await lastingOf(live, () => moreOf(talk))
  const [copy, restored] = await Promise.all([
    beside.start('copy'),
    beside.start('restored'),
    beside.backUp(live, beside.directory(`backup-${round}.age`)),
  ])
  assert.deepEqual(lostOf(before, await belongingsOf(live)), [], 'after both have started')
  await Promise.all([beside.use(copy), beside.use(restored)])
  assert.deepEqual(lostOf(before, await belongingsOf(live)), [], 'while both are used')
  const [first, second] = round % 2 === 0 ? [copy, restored] : [restored, copy]
  await stopAtOnce(first)
  await beside.use(second)
  assert.deepEqual(lostOf(before, await belongingsOf(live)), [], 'after one was stopped')
  await talk.end()
  return { second, messages: talk.count() }
}

/** The other way around: a killed live unit starts again beside a copy, which notices nothing of it. The copy is then killed as well. */
const killBoth = async (beside: Beside, live: Unit, copy: Unit): Promise<Unit> => {
  await whenProved(copy)
  const before = await lastingOf(copy, () => beside.use(copy))
  await beside.kill(live)
  const again = await beside.start('live')
  await Promise.all([beside.use(again), beside.use(copy)])
  assert.deepEqual(lostOf(before, await belongingsOf(copy)), [], 'after the live unit was killed')
  await whenProved(again)
  const own = await lastingOf(again, () => beside.use(again))
  await beside.kill(copy)
  await beside.use(again)
  assert.deepEqual(lostOf(own, await belongingsOf(again)), [], 'after the copy was killed')
  return again
}

const noneLeft = async (beside: Beside): Promise<void> => {
  for (const name of ['live', 'copy', 'restored']) {
    const place = { stateDir: beside.directory(name) }
    assert.deepEqual(await leftOf(await marksOf(place)), [])
    assert.ok(!existsSync(await runDirectoryOf(place)), `the runtime directory of ${name}`)
  }
}

describe('beside a live unit', { timeout: isFull ? 7_200_000 : 900_000 }, () => {
  for (const { skip, ...scene } of scenes) {
    test(`copies run as units of their own, and it loses nothing: ${scene.name}`, { skip }, async (t) => {
      const beside = await openScene(t, scene)
      let live = await beside.start('live')
      await beside.use(live)
      await whenProved(live)
      const talk = await talkTo(live, beside)
      await beside.copy()
      await beside.backUp(live, beside.directory('first.age'))
      await talk.end()
      await beside.restore(beside.directory('first.age'))
      for (let round = 0; round < rounds; round += 1) {
        const { second, messages } = await besideRound(beside, live, round)
        live = await killBoth(beside, live, second)
        t.diagnostic(`round ${round + 1}: ${messages} messages, each answered once, nothing of the live unit lost`)
      }
      // What was killed last starts again too, and the live unit may be the first to stop.
      const [copy, restored] = await Promise.all([beside.start('copy'), beside.start('restored')])
      await Promise.all([beside.use(copy), beside.use(restored)])
      await stopLast(live)
      await Promise.all([beside.use(copy), beside.use(restored)])
      await Promise.all([stopLast(copy), stopLast(restored)])
      await waitFor('nothing to be left', patience, async () => {
        await noneLeft(beside)
        return true
      })
    })

    test(`what a killed unit left is removed by the next one of its directory, renamed or restored: ${scene.name}`, { skip }, async (t) => {
      const beside = await openScene(t, scene)
      const killed = await beside.start('live')
      await beside.use(killed)
      await beside.backUp(killed, beside.directory('first.age'))
      const former = await marksOf(killed)
      await beside.kill(killed)
      await rename(beside.directory('live'), beside.directory('restored'))
      const renamed = await beside.start('restored')
      assert.deepEqual((await marksOf(renamed)).unitId, former.unitId)
      await beside.use(renamed)
      await beside.kill(renamed)
      // The former directory stays, so that the restored one is another.
      await rename(beside.directory('restored'), beside.directory('away'))
      await beside.restore(beside.directory('first.age'))
      const restored = await beside.start('restored')
      assert.notEqual((await marksOf(restored)).unitId, former.unitId)
      await beside.use(restored)
      await waitFor('what the killed unit left to be gone', patience, () => !former.directories.slice(1).some(existsSync))
      await stopLast(restored)
      const places = [former, await marksOf(restored)]
      for (const marks of places) assert.deepEqual(await leftOf(marks), [])
    })

    const leaves = scene.sandbox[0] === 'container' || scene.tools === 'container'
    if (!leaves) continue
    test(`what a killed unit left in an engine is removed by one that uses none: ${scene.name}`, { skip }, async (t) => {
      const beside = await openScene(t, scene)
      const killed = await beside.start('live')
      await beside.use(killed)
      await beside.backUp(killed, beside.directory('first.age'))
      const former = await marksOf(killed)
      await beside.kill(killed)
      // The former directory stays, so that the restored one is another.
      await rename(beside.directory('live'), beside.directory('away'))
      beside.change({ ...withoutEngine, mode: scene.mode })
      await beside.restore(beside.directory('first.age'))
      const restored = await beside.start('restored')
      await beside.use(restored)
      await waitFor('what the killed unit left to be gone', patience, () => !former.directories.slice(1).some(existsSync))
      assert.deepEqual(await leftOf(former), [])
      await stopLast(restored)
    })
  }
})
