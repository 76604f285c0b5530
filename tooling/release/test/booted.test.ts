// The units under a systemd that is the first process: each starts, has an agent answer behind every wall under exactly its own
// restrictions, is started again, and goes without a trace. In the full profile alone: it proves the seal a dozen times.
// Profile: rest. Boots systemd for each unit of one way to deploy.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { type BootedRoot, bootRoot, hostTraces } from './booted-root.ts'
import { type Made, makeRelease, removeRelease } from './made.ts'

const timeout = 300_000
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const lacking = ['/usr/lib/systemd/systemd', '/usr/bin/runsc', '/usr/sbin/runc', '/usr/bin/bwrap'].find((file) => !existsSync(file))
const needs = lacking === undefined ? false : `needs ${lacking}, install with: apt-get install -y systemd runsc runc bubblewrap`
const skip = process.getuid?.() === 0 ? needs : 'needs root: for namespaces and control groups'

interface Trial {
  /** In the order of their start; what is dropped in is for the last one. */
  readonly units: readonly string[]
  readonly dropIns?: readonly string[]
  readonly settings?: string
}

const split = ['gatehouse-control', 'gatehouse-runner']
/** Of the host that this runs on: what is booted has the same kind. */
const groups = existsSync('/sys/fs/cgroup/memory') ? ['control-groups-v1.conf'] : []
const runc = 'SERVICE_SANDBOX_RUNTIME=runc'
const bubblewrap = 'SERVICE_SANDBOX=bubblewrap'

const trials: Readonly<Record<string, Trial>> = {
  'one unit, with runsc': { units: ['gatehouse'], dropIns: groups },
  'one unit, with runc and what it needs more': { units: ['gatehouse'], dropIns: [...groups, 'shared-kernel.conf'], settings: runc },
  'one unit, with bubblewrap and what it needs more': {
    units: ['gatehouse'],
    dropIns: [...groups, 'shared-kernel.conf'],
    settings: bubblewrap,
  },
  'two units, with runsc': { units: split },
  'two units, the one with root without a network': { units: split, dropIns: ['runner-without-network.conf'] },
  'two units, with runc and what it needs more': { units: split, dropIns: ['shared-kernel.conf'], settings: runc },
}

const declare = (): void => {
  let made: Made
  let booted: BootedRoot
  let untouched: Map<string, string>
  let traces: object

  const start = async ({ units, dropIns = [], settings = '' }: Trial): Promise<void> => {
    const write = 'printf "%s\\n" SERVICE_ALLOW_OLD_ENGINE=true "$1" >/etc/gatehouse/gatehouse.env'
    await booted.ask('sh', '-c', write, 'sh', settings)
    await booted.ask('rm', '-rf', '/var/lib/gatehouse/state', '/var/lib/gatehouse/runner')
    // What it made ready is gone with the state, and is made ready again.
    await booted.ask('systemctl', 'stop', 'gatehouse-sandboxes')
    for (const name of dropIns) {
      const place = `/etc/systemd/system/${units.at(-1)}.service.d/${name}`
      await booted.ask('install', '-D', '-m', '0644', `/opt/gatehouse/current/systemd/drop-ins/${name}`, place)
    }
    await booted.ask('systemctl', 'daemon-reload')
    await booted.ask('systemctl', 'start', ...units)
  }
  const stop = async ({ units }: Trial): Promise<void> => {
    await booted.ask('systemctl', 'stop', ...units)
    await booted.ask('rm', '-rf', `/etc/systemd/system/${units.at(-1)}.service.d`)
    assert.doesNotMatch(await booted.ask('ps', '-eo', 'args='), /runsc|runc |bwrap|gatehouse/)
    assert.doesNotMatch(await booted.ask('cat', '/proc/self/mounts'), /gatehouse\/state|gatehouse\/run/)
  }
  const statusMatches = (wanted: RegExp) =>
    booted.until(`a status with ${String(wanted)}`, async () => wanted.test((await booted.run('svcctl', 'status')).stdout))
  const say = (text: string) =>
    booted.until(`an answer to ${text}`, async () => (await booted.run('svcctl', 'chat', 'clerk', text)).stdout.includes(`echo: ${text}`))

  before(async () => {
    traces = await hostTraces()
    made = await makeRelease()
    booted = await bootRoot(made.folder)
    untouched = await booted.root.contents()
    await booted.ask('sh', '/tmp/release/install.sh', '--key', '/tmp/release/release.pub')
    const token = 'openssl rand -hex 32 | install -m 0600 /dev/stdin /etc/gatehouse/credentials/SERVICE_API_TOKEN'
    await booted.ask('sh', '-c', token)
  })
  after(async () => {
    await booted?.remove()
    if (made !== undefined) await removeRelease(made)
  })

  for (const [name, trial] of Object.entries(trials))
    test(
      `${name}: an agent answers behind every wall, also after a restart, and nothing of it stays when it is stopped`,
      { timeout },
      async () => {
        await start(trial)
        await statusMatches(/^sandbox\t\w+ ok$/m)
        const clerk = '{"id":"clerk","name":"Clerk","agent":"mock"}'
        const id = await booted.ask('svcctl', 'change', 'submit', 'agent_create', '--group', 'clerk', '--after', clerk)
        await booted.ask('svcctl', 'change', 'approve', id, '--by', 'somebody', '--yes')
        await say('hello')
        const proofs = JSON.parse(await booted.ask('svcctl', 'audit', 'list', '--stage', 'seal-proof', '--json')) as {
          detail: { lacking: [] }
        }[]
        assert.deepEqual(
          proofs.map(({ detail }) => detail.lacking),
          [[]],
        )
        await booted.ask('systemctl', 'restart', ...trial.units)
        await statusMatches(/^sandbox\t\w+ ok$/m)
        await say('again')
        await stop(trial)
      },
    )

  test('the restrictions are in force: what shares the kernel is refused without what it needs more', { timeout }, async () => {
    for (const settings of [runc, bubblewrap]) {
      const trial = { units: ['gatehouse'], dropIns: groups, settings }
      await start(trial)
      await statusMatches(/^sandbox\t\w+ refused: .*(trial sandbox|seal does not hold)/m)
      await stop(trial)
    }
  })

  test('the unit without sandboxes is ready under restrictions that leave nothing of root', { timeout }, async () => {
    const trial = { units: ['gatehouse-control-plane'] }
    await start(trial)
    await statusMatches(/^sandbox\toff/m)
    await stop(trial)
  })

  test('purged, it leaves nothing in the root, and the whole boot nothing on the host', { timeout }, async () => {
    await booted.ask('sh', '/tmp/release/install.sh', '--uninstall', '--purge')
    assert.doesNotMatch(await booted.ask('systemctl', 'list-units', '--all', '--plain', '--no-legend'), /gatehouse\S*\.(service|mount)/)
    const left = [...(await booted.root.contents())].filter(([path]) => !path.startsWith('/root/.cache'))
    assert.deepEqual(new Map(left), untouched)
    await booted.remove()
    assert.deepEqual(await hostTraces(), traces)
  })
}

if (full) suite('units that systemd starts', { skip, timeout: 10 * timeout }, declare)
