// What a proof says of a control that the host was too busy to show. A driver whose sandboxes only print lines stands for a host.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { limits } from '@gatehouse/contracts'
import type { Driver, Exit, LaunchSpec, Sandbox } from '../../src/driver.ts'
import { proveSeal } from '../../src/seal/prove.ts'

const exit: Exit = { code: 0, signal: null, reason: 'exited' }

const idle = { memoryKills: 0, memoryFull: false, refusedProcesses: 0, throttledPeriods: 0, throttledSeconds: 0 }

/** Prints its lines and ends when it is stopped; `ends`: by itself. */
const sandboxOf = (lines: readonly string[], ends = true): Sandbox => {
  const over = Promise.withResolvers<Exit>()
  if (ends) over.resolve(exit)
  return {
    exited: over.promise,
    output: (async function* () {
      yield* lines
      await over.promise
    })(),
    stop: async () => {
      over.resolve(exit)
      return exit
    },
    usage: async () => idle,
  }
}

/** @param processorSeconds what a sandbox that takes all processor time got, and was not held back */
const proveWith = async (t: TestContext, processorSeconds: number, isStuck = false) => {
  // The time of a trial passes at once.
  const { performance } = globalThis
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() * 100)
  const home = await mkdtemp(join(tmpdir(), 'gh-prove-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const launch = async ({ command }: LaunchSpec): Promise<Sandbox> =>
    command.includes('time') ? sandboxOf([JSON.stringify({ processorSeconds })], false) : sandboxOf([], !isStuck)
  const driver: Driver = {
    name: 'oci',
    engine: 'planted',
    kernel: 'host',
    processBound: 'group',
    missing: [],
    owner: () => undefined,
    prepare: async (rootfs) => rootfs,
    prepareImage: async (image) => image,
    launch,
    reconcile: async () => 0,
  }
  const signal = new AbortController().signal
  return proveSeal({ driver, rootfs: '/', unitId: 'test', identity: undefined, home, disk: { refused: 'planted' }, signal })
}

test('a limit on processor time that a sandbox had no chance to meet was not seen', async (t) => {
  const { lacking, unseen } = await proveWith(t, limits.throttleTime / 1_000 / 20)
  assert.ok(lacking.includes('cpu-limit'))
  assert.deepEqual(unseen, ['cpu-limit'])
})

test('a sandbox that got more than its limit and was not held back shows that the limit lacks', async (t) => {
  const { lacking, unseen } = await proveWith(t, limits.throttleTime / 1_000)
  assert.ok(lacking.includes('cpu-limit'))
  assert.deepEqual(unseen, [])
})

test('what a sandbox did not show in its time was not seen, and lacks nevertheless', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const proving = proveWith(t, 10, true)
  const ticking = setInterval(() => t.mock.timers.tick(limits.probeTime), 5)
  t.after(() => clearInterval(ticking))
  const { lacking, unseen } = await proving
  assert.ok(['network', 'memory-limit', 'process-limit'].every((name) => lacking.some((wall) => wall === name)))
  assert.ok(unseen.includes('network') && unseen.includes('memory-limit') && unseen.includes('process-limit'))
  // No disk was tried at all, and the busy one got its time.
  assert.ok(!unseen.includes('disk-limit') && !unseen.includes('cpu-limit'))
})
