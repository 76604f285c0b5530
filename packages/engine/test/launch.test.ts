// Starting a program: its environment and descriptors, and failures to start.
import assert from 'node:assert/strict'
import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isServiceError } from '@gatehouse/contracts'
import type { Exit } from '../src/driver.ts'
import { launchProgram } from '../src/launch.ts'

const collect = async (lines: AsyncIterable<string>): Promise<string[]> => {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

describe('a launched program', () => {
  it('has only the given environment', async () => {
    const sandbox = await launchProgram({ file: '/usr/bin/env', args: [], env: { ONLY: 'this' } })
    assert.deepEqual(await collect(sandbox.output), ['ONLY=this'])
    assert.deepEqual(await sandbox.exited, { code: 0, signal: null, reason: 'exited' })
  })

  it('reads the given data from descriptor 3', async () => {
    const script = `process.stdout.write(require('node:fs').readFileSync(3, 'utf8'))`
    const reader = await launchProgram({ file: process.execPath, args: ['-e', script], env: {}, descriptor3: Buffer.from('the filter') })
    assert.deepEqual(await collect(reader.output), ['the filter'])
  })

  it('inherits no open descriptor of its launcher', async () => {
    const held = openSync('/etc/hostname', 'r')
    const fixture = join(import.meta.dirname, 'fixtures/list-descriptors.ts')
    const gap = Array.from({ length: 36 }, () => 'ignore' as const)
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...gap, held]
    const child = spawn(process.execPath, [fixture], { stdio })
    closeSync(held)
    let said = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    await once(child, 'close')
    assert.match(said, /holds 39 -> \/etc\/hostname/)
    assert.doesNotMatch(said, /passes .*\/etc\/hostname/)
    assert.match(said, /passes 0 -> socket:/)
  })

  it('rejects when there is no such program', async () => {
    await assert.rejects(launchProgram({ file: '/no/such/program', args: [], env: {} }), (error) => {
      assert.ok(isServiceError(error))
      assert.equal(error.code, 'no-sandbox')
      assert.match(error.detail, /cannot start \/no\/such\/program/)
      return true
    })
  })

  it('resolves stop after its end with its exit', async () => {
    const sandbox = await launchProgram({ file: '/bin/false', args: [], env: {} })
    assert.deepEqual(await sandbox.exited, { code: 1, signal: null, reason: 'exited' })
    assert.deepEqual(await sandbox.stop(), { code: 1, signal: null, reason: 'exited' })
  })

  it('reports stopped after two seconds if it cannot be ended', async () => {
    const sandbox = await launchProgram({ file: '/bin/sleep', args: ['60'], env: {} }, { end: async () => undefined })
    assert.deepEqual(await sandbox.stop(), { code: null, signal: null, reason: 'stopped' })
    assert.equal((await sandbox.exited).reason, 'stopped')
  })

  it('is removed from the engine when stop resolves, even if it cannot be ended', async () => {
    let isRemoved = false
    const settle = async (exit: Exit): Promise<Exit> => {
      await setImmediate()
      isRemoved = true
      return exit
    }
    const sandbox = await launchProgram({ file: '/bin/sleep', args: ['60'], env: {} }, { end: async () => undefined, settle })
    await sandbox.stop()
    assert.ok(isRemoved)
  })

  it('does not wait forever for a hanging engine', async () => {
    const settle = (): Promise<Exit> => new Promise(() => undefined)
    const sandbox = await launchProgram({ file: '/bin/sleep', args: ['60'], env: {} }, { settle })
    assert.deepEqual(await sandbox.stop(), { code: null, signal: null, reason: 'stopped' })
    assert.deepEqual(await collect(sandbox.output), [])
  })

  it('does not wait forever for an orphan with its pipes open', async () => {
    const sandbox = await launchProgram({ file: '/usr/bin/setsid', args: ['--fork', '/bin/sleep', '5'], env: {} })
    assert.equal((await sandbox.stop()).reason, 'stopped')
    assert.equal((await sandbox.exited).reason, 'stopped')
    assert.deepEqual(await collect(sandbox.output), [])
  })

  it('ends what outlives it, so that its own end is known', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      const child = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'inherit' })
      process.stdout.write(child.pid + '\\n')
      child.unref()`
    const stray = Promise.withResolvers<number>()
    const sweep = async (): Promise<void> => void process.kill(await stray.promise, 'SIGKILL')
    const sandbox = await launchProgram({ file: process.execPath, args: ['-e', script], env: {} }, { sweep })
    for await (const line of sandbox.output) stray.resolve(Number(line))
    assert.deepEqual(await sandbox.exited, { code: 0, signal: null, reason: 'exited' })
  })
})
