// The seal at the start of a runner: proved before anything is launched in production, beside everything else in the other modes.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { type Control, proveSeal } from '@gatehouse/engine'
import { createMetrics, silentLogger, waitFor } from '@gatehouse/kernel'
import type { SandboxStatusOptions } from '../../src/sandbox/state.ts'
import { createSandboxStatus, type SandboxStatus } from '../../src/sandbox/posture.ts'
import { leftoversOf, noDriver, openUnit } from '../fixtures/unit.ts'

const asRoot = process.geteuid?.() === 0 ? false : 'needs root: for mounting the disks of groups'

const postureFor = (options: Pick<SandboxStatusOptions, 'wanted' | 'choose' | 'closing'> & Partial<SandboxStatusOptions>): SandboxStatus =>
  createSandboxStatus({
    unitId: 'test',
    leftovers: leftoversOf('test', '/nowhere/run'),
    identities: null,
    home: '/nowhere',
    groups: '/nowhere',
    mode: 'dev',
    rootfs: '/',
    image: null,
    groupDisks: null,
    log: silentLogger,
    metrics: createMetrics('runner'),
    verifyImage: async () => undefined,
    record: () => undefined,
    proveSeal,
    retry: { first: 1, most: 1 },
    onReady: () => undefined,
    ...options,
  })

describe('the seal at start', { timeout: 300_000 }, () => {
  it('is journaled, and what lacks is named while messages are answered, where a mode is for trying things out', async (t) => {
    const unit = await openUnit(t)
    assert.equal(await unit.chat('hello'), 'echo: hello')
    await waitFor(() => unit.gateway.proofs.length === 1, { what: 'a line of the proof', deadline: 120_000 })
    const { status, seal, missing } = await unit.posture()
    assert.deepEqual([status, seal, missing.includes('network')], ['ok', 'lacking', true])
  })

  it('refuses launches in production when a wall lacks, whatever the driver says of itself', async (t) => {
    const boastful = { ...(await noDriver()), missing: [] }
    const unit = await openUnit(t, { driver: boastful, mode: 'production' })
    await waitFor(async () => (await unit.posture()).seal === 'lacking', { what: 'a proof', deadline: 120_000 })
    const { status, reason } = await unit.posture()
    assert.equal(status, 'refused')
    assert.match(reason ?? '', /the seal does not hold, these controls are missing: .*network/)
    await assert.rejects(unit.send('hello'), { code: 'no-sandbox' })
    assert.deepEqual((await unit.health()).degraded, ['sandbox'])
    assert.equal(unit.gateway.proofs.length, 1)
  })

  it('is looked for again where nothing could be launched, and what waited is answered then', async (t) => {
    const unit = await openUnit(t, { driver: await noDriver(join(import.meta.dirname, '../fixtures/silent.mjs')) })
    const { messageId } = await unit.send('hello')
    await unit.stop()
    const driver = await noDriver()
    let fault: string | undefined = 'docker has not started yet'
    const choose = async () => {
      if (fault === 'thrown') throw new Error('the registry is away')
      return fault === undefined ? { driver } : { refused: fault }
    }
    await unit.start({ choose, times: { postureFirst: 5, postureMost: 5 } })
    const says = (reason: RegExp) =>
      waitFor(async () => reason.test((await unit.posture()).reason ?? ''), { what: String(reason), deadline: 120_000 })
    await says(/docker has not started yet/)
    await assert.rejects(unit.send('more'), { code: 'no-sandbox', hint: /tried again/ })
    fault = 'thrown'
    await says(/the registry is away/)
    fault = undefined
    assert.equal(await unit.replyTo(messageId), 'echo: hello')
    assert.equal(unit.lines.filter((line) => /no sandbox can be launched.*docker has not/.test(line)).length, 1)
  })

  it('is proved again a limited number of times if controls are missing in production, and each proof is recorded', async (t) => {
    const unit = await openUnit(t, { mode: 'production', times: { postureFirst: 5, postureMost: 5 } })
    await waitFor(() => unit.gateway.proofs.length === 1 + limits.postureProofs, { what: 'all proofs', deadline: 120_000 })
    await assert.rejects(unit.send('hello'), { code: 'no-sandbox', hint: /--probe/ })
  })

  it('is proved again for as long as the host is too busy to show it, and refuses every launch until it holds', async (t) => {
    const closing = new AbortController()
    t.after(() => closing.abort())
    const driver = { ...(await noDriver()), name: 'oci' as const }
    const most = 4 * limits.postureProofs
    const open = Promise.withResolvers<void>()
    let proofs = 0
    let isReady = false
    const posture = postureFor({
      mode: 'production',
      wanted: 'oci',
      choose: async () => ({ driver }),
      closing: closing.signal,
      onReady: () => void (isReady = true),
      proveSeal: async () => {
        proofs += 1
        if (proofs > most) await open.promise
        const unseen: Control[] = proofs > most ? [] : ['cpu-limit']
        return { walls: {} as never, lacking: unseen, unseen, faults: [] }
      },
    })
    await waitFor(() => proofs > most, { what: 'more proofs than of a seal that does not hold', deadline: 120_000 })
    const { status, reason, seal } = posture.status()
    assert.deepEqual([status, seal, isReady], ['refused', 'lacking', false])
    assert.equal(reason, 'the host is too busy to prove the seal, these controls could not be observed: cpu-limit')
    assert.match(posture.refusal()?.hint ?? '', /^It is proved again every few minutes\. /)
    open.resolve()
    await waitFor(() => posture.status().status === 'ok', { what: 'a seal that holds', deadline: 120_000 })
    assert.ok(isReady)
  })

  it('stays refused once a proof has shown a missing control, whatever else could not be observed', async (t) => {
    const closing = new AbortController()
    t.after(() => closing.abort())
    const driver = { ...(await noDriver()), name: 'oci' as const }
    let proofs = 0
    const posture = postureFor({
      mode: 'production',
      wanted: 'oci',
      choose: async () => ({ driver }),
      closing: closing.signal,
      proveSeal: async () => {
        proofs += 1
        return { walls: {} as never, lacking: ['network', 'cpu-limit'], unseen: ['cpu-limit'], faults: [] }
      },
    })
    await waitFor(() => proofs === 1 + limits.postureProofs, { what: 'all proofs', deadline: 120_000 })
    await posture.settled()
    assert.match(posture.status().reason ?? '', /^the seal does not hold, these controls are missing: network, cpu-limit$/)
    assert.doesNotMatch(posture.refusal()?.hint ?? '', /again every few minutes/)
  })

  it('is looked for from the beginning where a trial of disks failed, and nothing was launched', { skip: asRoot }, async (t) => {
    const closing = new AbortController()
    const home = await mkdtemp(join(tmpdir(), 'gh-seal-'))
    t.after(async () => {
      closing.abort()
      await rm(home, { recursive: true, force: true })
    })
    let choices = 0
    const refuse = async (): Promise<never> => {
      throw new Error('planted')
    }
    const driver = { ...(await noDriver()), name: 'bubblewrap' as const, launch: refuse }
    const choose = async () => {
      choices += 1
      return { driver }
    }
    await writeFile(join(home, 'file'), '')
    const place = { mode: 'production', home, groups: join(home, 'file/groups') } as const
    let proofs = 0
    const record = () => void (proofs += 1)
    const posture = postureFor({ ...place, wanted: 'bubblewrap', choose, record, closing: closing.signal })
    await waitFor(() => proofs === 1 + limits.postureProofs, { what: 'all proofs', deadline: 120_000 })
    await posture.settled()
    assert.equal(choices, proofs)
    const disks = await posture.disks(closing.signal)
    assert.deepEqual(disks !== undefined && Object.keys(disks), ['refused'], 'nobody else tries them beside it')
  })

  it('is proved again where there was no room for a trial, also where no launch waits for it', async (t) => {
    const closing = new AbortController()
    const home = await mkdtemp(join(tmpdir(), 'gh-seal-'))
    t.after(async () => {
      closing.abort()
      await rm(home, { recursive: true, force: true })
    })
    const obstacle = join(home, 'file')
    await writeFile(obstacle, '')
    const refuse = async (): Promise<never> => {
      throw new Error('planted')
    }
    const driver = { ...(await noDriver()), name: 'bubblewrap' as const, launch: refuse }
    let proofs = 0
    let warnings = 0
    const posture = postureFor({
      wanted: 'bubblewrap',
      choose: async () => ({ driver }),
      home: join(obstacle, 'trials'),
      groups: join(obstacle, 'groups'),
      closing: closing.signal,
      record: () => void (proofs += 1),
      log: { ...silentLogger, warn: (text) => void (warnings += Number(text.startsWith('the seal could not be proved'))) },
    })
    await waitFor(() => warnings > 2, { what: 'a warning at each attempt', deadline: 120_000 })
    assert.deepEqual([posture.status().status, posture.status().seal, proofs], ['ok', 'proving', 0])
    await rm(obstacle)
    await waitFor(() => posture.status().seal === 'lacking', { what: 'a proof', deadline: 120_000 })
    assert.equal(proofs, 1)
  })

  it('leaves nothing behind: what is left of sandboxes is removed at the end as at the start, until nothing more appears', async (t) => {
    const cleared: string[] = []
    const left = [0, 2, 1, 0]
    const reconcile = async (unitId: string): Promise<number> => left[cleared.push(unitId) - 1] ?? 0
    const unit = await openUnit(t, { driver: { ...(await noDriver()), reconcile } })
    await unit.chat('hello')
    assert.deepEqual(cleared, [unit.unitId])
    await unit.stop()
    assert.deepEqual(
      cleared,
      Array.from({ length: 4 }, () => unit.unitId),
    )
  })

  it('leaves nothing on the signal of whoever asks for the driver, while it is being chosen and after', async () => {
    const driver = await noDriver()
    const chosen = Promise.withResolvers<void>()
    const { signal } = new AbortController()
    const posture = postureFor({ wanted: 'none', choose: () => chosen.promise.then(() => ({ driver })), closing: signal })
    const early = Array.from({ length: 5 }, () => posture.engaged(signal))
    const gone = new AbortController()
    const left = posture.engaged(gone.signal)
    gone.abort()
    await assert.rejects(left, { name: 'AbortError' })
    chosen.resolve()
    await Promise.all(early)
    for (let count = 0; count < 1_000; count += 1) await posture.engaged(signal)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  it('is proved again on request', async (t) => {
    const unit = await openUnit(t)
    await waitFor(async () => (await unit.posture()).status === 'ok', { what: 'a driver', deadline: 120_000 })
    const proof = await unit.proveSeal()
    assert.equal(proof.driver, 'none')
    assert.ok(proof.walls.every(({ verdict }) => verdict === 'lacking'))
  })
})
