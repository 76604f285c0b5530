// The start gate of a sandbox: a unit that dies before it opens the gate must leave nothing running.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bubblewrapProgram } from '../../src/bubblewrap/program.ts'
import { defaultLimits, type LaunchSpec } from '../../src/driver.ts'
import { launchProgram } from '../../src/launch.ts'
import { findDriver, rows } from '../fixtures/engines.ts'

const row = rows.find(({ label }) => label === 'bubblewrap')
const found = row === undefined ? 'another engine was asked for' : await findDriver(row)
const skip = typeof found === 'string' ? found : false

const programs = { bwrap: '/usr/bin/bwrap', setpriv: '/usr/bin/setpriv', prlimit: '/usr/bin/prlimit' }
const spec: LaunchSpec = {
  id: 'gate',
  unitId: `gate-${process.pid}`,
  rootfs: '/',
  command: ['/bin/echo', 'it runs'],
  env: {},
  mounts: [],
  limits: defaultLimits,
}

const run = async (root: boolean, keyOf: (key: Uint8Array) => Uint8Array) => {
  const { key, ...program } = bubblewrapProgram(spec, { programs, root, filter: null, tmp: null, prefix: [] })
  const sandbox = await launchProgram({ ...program, gate: { key: keyOf(key), ready: async () => undefined } })
  const lines: string[] = []
  for await (const line of sandbox.output) lines.push(line)
  return { ran: lines.includes('it runs'), exit: await sandbox.exited }
}

/** As it was: whatever ends the wait lets the sandbox run, also the death of its host. */
const runUnlocked = async (root: boolean) => {
  const { key, file, args, ...program } = bubblewrapProgram(spec, { programs, root, filter: null, tmp: null, prefix: [] })
  const root4 = new TextDecoder().decode(key).split('\0').slice(0, -1)
  const at = args.indexOf('--args')
  const unlocked = [...args.slice(0, at), '--args', '4', ...root4, ...args.slice(at + 2)]
  const sandbox = await launchProgram({
    ...program,
    file,
    args: unlocked,
    gate: { key: new Uint8Array(), ready: async () => undefined },
  })
  const lines: string[] = []
  for await (const line of sandbox.output) lines.push(line)
  return lines.includes('it runs')
}

const kinds = process.getuid?.() === 0 ? [true, false] : [false]

describe('the gate of a sandbox by bubblewrap', { skip }, () => {
  for (const root of kinds) {
    const who = root ? 'the unit is root' : 'it is not'
    it(`runs nothing that the unit has not released, where ${who}`, async () => {
      assert.deepEqual(await run(root, (key) => key), { ran: true, exit: { code: 0, signal: null, reason: 'exited' } })
      const { ran, exit } = await run(root, () => new Uint8Array())
      assert.equal(ran, false)
      assert.notEqual(exit.code, 0)
    })

    it(`would run it if the root were an argument, where ${who}`, async () => {
      assert.equal(await runUnlocked(root), true)
    })
  }

  it('binds the program to its parent before it waits', () => {
    const { file, args } = bubblewrapProgram(spec, { programs, root: true, filter: null, tmp: null, prefix: [] })
    assert.deepEqual([file, ...args.slice(0, 2)], [programs.setpriv, '--pdeathsig', 'KILL'])
    assert.ok(args.indexOf('KILL') < args.indexOf('--args'))
  })
})
