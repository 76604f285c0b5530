// Arguments of a container engine that a probe cannot observe.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Engine } from '../../src/container-client/client.ts'
import { runArguments } from '../../src/container/arguments.ts'
import type { LaunchSpec } from '../../src/driver.ts'

const docker: Engine = {
  name: 'docker',
  label: 'docker',
  filters: true,
  file: '/usr/bin/docker',
  global: [],
  runtime: null,
  gvisor: false,
  limits: true,
  takesParent: true,
  user: null,
}
const spec: LaunchSpec = {
  id: 'ses_a',
  unitId: 'here',
  rootfs: 'sha256:1',
  command: ['/bin/node', '/agent/agent.mjs'],
  env: {},
  mounts: [{ source: '/a,b/"c"', target: '/workspace', mode: 'rw' }],
  identity: { uid: 700_000, gid: 700_001 },
  limits: { memoryMiB: 512, cpus: 1, processes: 64, pids: 256, tmpMiB: 64 },
}
const run = (engine: Engine, parts: Partial<LaunchSpec> = {}): string[] =>
  runArguments(engine, { ...spec, ...parts }, { name: 'n', profile: '/p.json' })
const after = (args: readonly string[], flag: string): string | undefined => args[args.indexOf(flag) + 1]

describe('the command line of an engine', () => {
  it('quotes a path with the separators of a mount', () => {
    assert.equal(after(run(docker), '--mount'), 'type=bind,"source=/a,b/""c""",target=/workspace')
    assert.throws(
      () => run({ ...docker, name: 'podman' }, { mounts: [{ source: '/a:b', target: '/workspace', mode: 'ro' }] }),
      /with a colon/,
    )
  })

  it('allows gVisor the tasks that it needs, and sets no filter where it is not supported', () => {
    assert.equal(after(run(docker), '--pids-limit'), '256')
    assert.equal(after(run({ ...docker, gvisor: true }), '--pids-limit'), '512')
    assert.ok(run(docker).includes('seccomp=/p.json'))
    assert.ok(!run({ ...docker, gvisor: true, filters: false }).includes('seccomp=/p.json'))
  })

  it('joins the group of the session, or runs as the unit where that is not root', () => {
    assert.deepEqual([after(run(docker), '--user'), after(run(docker), '--group-add')], ['65532:65532', '700001'])
    const own = run({ ...docker, user: { uid: 1000, gid: 1000 } })
    assert.deepEqual([after(own, '--user'), own.includes('--group-add')], ['1000:1000', false])
  })

  it('never maps the sandbox to root', () => {
    assert.equal(after(run({ ...docker, name: 'podman' }, { mounts: [] }), '--uidmap'), '0:634468:65533')
    assert.throws(
      () => run({ ...docker, name: 'podman' }, { mounts: [], identity: { uid: 0, gid: 0 } }),
      /the host id 0 is not above 65532/,
    )
  })

  it('uses the limits of an existing control group, but sets them for Docker too, whose daemon may not see the group', () => {
    const made = (name: Engine['name']) =>
      runArguments({ ...docker, name }, { ...spec, mounts: [] }, { name: 'n', profile: null, parent: '/p' })
    for (const name of ['docker', 'podman', 'nerdctl'] as const) assert.equal(after(made(name), '--cgroup-parent'), '/p')
    assert.deepEqual([after(made('docker'), '--memory'), made('docker').includes('--cgroup-manager')], ['512m', false])
    assert.deepEqual([made('podman').includes('--memory'), after(made('podman'), '--cgroup-manager')], [false, 'cgroupfs'])
  })

  it('puts the image and the command last, after every option', () => {
    assert.deepEqual(run(docker).slice(-3), ['sha256:1', '/bin/node', '/agent/agent.mjs'])
  })
})
