// Arguments of bubblewrap that a probe cannot observe.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBubblewrap } from '../../src/bubblewrap/driver.ts'
import { bubblewrapProgram } from '../../src/bubblewrap/program.ts'
import type { LaunchSpec } from '../../src/driver.ts'

const programs = { bwrap: '/usr/bin/bwrap', setpriv: '/usr/bin/setpriv', prlimit: '/usr/bin/prlimit' }
const without = { tmp: null, prefix: [], stage: null, hierarchy: null, home: '/nowhere' }
const spec: LaunchSpec = {
  id: 'ses_a',
  unitId: 'here',
  rootfs: '/root/hidden/rootfs',
  command: ['/bin/node', '/agent/agent.mjs'],
  env: {},
  mounts: [{ source: '/root/hidden/workspace', target: '/workspace', mode: 'rw' }],
  identity: { uid: 700_000, gid: 700_001 },
  limits: { memoryMiB: 512, cpus: 1, processes: 64, pids: 256, tmpMiB: 64 },
}

describe('the command line of bubblewrap', () => {
  it('switches to the host identity before it builds the sandbox, where the unit is root', () => {
    const { args } = bubblewrapProgram(spec, { ...without, programs, root: true, filter: null })
    const [become, second] = [args.indexOf(programs.setpriv), args.lastIndexOf(programs.bwrap)]
    assert.ok(args.indexOf(programs.bwrap) < become && become < second)
    assert.deepEqual(args.slice(become, become + 6), [programs.setpriv, '--reuid', '700000', '--regid', '700001', '--clear-groups'])
    assert.ok(!args.slice(second).some((arg) => arg.startsWith('/root/')))
  })

  it('is never root on the host', () => {
    const options = { ...without, programs, root: true, filter: null }
    assert.throws(() => bubblewrapProgram({ ...spec, identity: { uid: 0, gid: 5 } }, options), /must not be root/)
    assert.throws(() => bubblewrapProgram({ ...spec, identity: { uid: 5, gid: 0 } }, options), /must not be root/)
    assert.deepEqual(createBubblewrap(options).owner(undefined), { uid: 65532, gid: 65532 })
  })

  it('keeps the identity of the unit where that is not root', () => {
    const options = { ...without, programs, root: false, filter: null }
    assert.ok(!bubblewrapProgram(spec, options).args.includes(programs.setpriv))
    assert.equal(createBubblewrap(options).owner(spec.identity), undefined)
    assert.ok(createBubblewrap(options).missing.includes('own-host-uid'))
  })
})
