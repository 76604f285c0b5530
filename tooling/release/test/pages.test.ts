// The pages about a bare host, a unit in two halves, and an upgrade, followed word for word where systemd is the first process.
// Profile: rest. Follows long pages on machines that boot systemd.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { follow } from '@gatehouse/end-to-end/documents'
import { execa } from 'execa'
import { buildRelease } from '../src/index.ts'
import { bootSystemd } from './booted.ts'
import { CleanRoot } from './clean-root.ts'
import { architecture, checkout, type Made, makeRelease, removeRelease, sources, version } from './made.ts'

const lacking = ['/usr/lib/systemd/systemd', '/usr/bin/age', '/usr/bin/curl'].find((file) => !existsSync(file))
const needs = lacking === undefined ? false : `needs ${lacking}, install with: apt-get install -y systemd age curl`
const skip = process.getuid?.() === 0 ? needs : 'needs root: for namespaces and control groups'
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
if (isFull && skip !== false && process.env['CI'] === 'true') throw new Error(skip)
const newer = '9.9.0'
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', TERM: 'dumb', LC_ALL: 'C.UTF-8' }
/** The reader is root. */
const places = { 'sudo ': '' }

/** `gatehouse.service` as it was when it was root. */
const asRoot = (unit: string): string =>
  unit
    .replaceAll(/^(User|Group|Environment=SERVICE_USER_NAMESPACE|CapabilityBoundingSet)=.*\n/gm, '')
    .replaceAll('gatehouse-sandboxes.service', 'gatehouse-setup@0.service')

const pages = (): void => {
  let made: Made
  let root: CleanRoot
  let booted: Awaited<ReturnType<typeof bootSystemd>>
  before(async () => {
    made = await makeRelease()
    const out = join(made.folder, 'newer')
    await buildRelease({ ...sources, out, version: newer, architecture, signingKey: made.privateKey, level: 0 })
    root = await CleanRoot.make()
    booted = await bootSystemd(root, made.folder)
  })
  after(async () => {
    await booted?.end()
    await root?.remove()
    if (made !== undefined) await removeRelease(made)
  })

  const type = async (text: string): Promise<void> => {
    const [program = '', ...words] = booted.inside
    const { exitCode, all } = await execa(program, [...words, 'bash', '-ec', text], {
      env,
      extendEnv: false,
      reject: false,
      all: true,
      timeout: 120_000,
    })
    assert.equal(exitCode, 0, `${text}\n${all}`)
  }
  const install = 'cd /tmp/release; sh install.sh --key release.pub'
  // The runsc of Debian 12 is too old to be taken unasked, which `svcctl doctor` calls a fault.
  const settings = 'echo SERVICE_SANDBOX=off >>/etc/gatehouse/gatehouse.env'
  const token = 'openssl rand -hex 32 | install -m 0600 /dev/stdin /etc/gatehouse/credentials/SERVICE_API_TOKEN'
  const wait = 'curl --silent --show-error --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:8787/readyz'
  const purge = 'sh /tmp/release/install.sh --uninstall --purge'
  const reading = (directory: string) => ({ inside: booted.inside, address: 'http://127.0.0.1:8787', directory, env, places })

  const leftovers = async (): Promise<string[]> =>
    [...(await root.contents()).keys()].filter((path) =>
      /\/(opt|etc|var\/lib|usr\/local\/bin|etc\/systemd\/system)\/(gatehouse|svcctl)/.test(path),
    )

  test('a release is installed, started, and taken away until nothing is left', async () => {
    await follow('docs/how-to/bare-host.md', {
      ...reading('/tmp/release'),
      notRun: { 'gvisor.dev': 'this host has no way to a repository of packages' },
    })
    assert.deepEqual(await leftovers(), [])
  })

  const svcctl = 'svcctl --token-file /etc/gatehouse/credentials/SERVICE_API_TOKEN'

  /** What the page types to make the archive, where tar fails. */
  const archiveWithout = async (): Promise<void> => {
    const page = await readFile(join(checkout, 'docs/how-to/split-host.md'), 'utf8')
    const lines = page.split('\n').filter((line) => /^(set -o pipefail|sudo tar .* > )/.test(line))
    assert.equal(lines.length, 3)
    const failing = 'tar() { echo half; return 2; }; mkdir -p /root/broken; cp /root/key.txt /root/broken; cd /root/broken'
    await type(`${failing}\n${lines.slice(0, 2).join('\n').replace('sudo ', '')}\ntest ! -e unit.tar.age; rm -r /root/broken`)
  }

  test('a unit is split in two, both halves are archived, and come back frozen', async () => {
    await type(`${install}\n${token}`)
    const names = 'age -d -i /root/key.txt /root/unit.tar.age | tar -t >/root/names'
    await follow('docs/how-to/split-host.md', {
      ...reading('/root'),
      before: async ({ text }) => {
        if (text.includes(' freeze ')) await type(`${svcctl} token create revoked --role admin --file /root/revoked.token`)
        if (text.includes('gatehouse.before')) {
          await type(`set -o pipefail; ${names}; grep -x ./state/gateway.db /root/names; grep './runner/.' /root/names`)
          await archiveWithout()
          await type(`${svcctl} token revoke revoked --yes; ! svcctl --token-file /root/revoked.token status`)
          await type(`! ${svcctl} status | grep frozen`)
        }
        if (text.includes('brought back')) await type(`${svcctl} token list | grep revoked; ${svcctl} token revoke revoked --yes`)
      },
    })
    await type(`systemctl is-active gatehouse-control gatehouse-runner; ! ${svcctl} token list | grep revoked`)
    await type(`${purge}; rm -rf /var/lib/gatehouse.before /root/names /root/key.txt /root/revoked.token`)
  })

  const start = ['systemctl enable --now gatehouse', wait, `${svcctl} token create before --role auditor --file /root/before.token`]
  const upgrading = {
    ...places,
    'v1.2.3': `v${version}`,
    'sh install.sh --key release.pub': 'sh /tmp/release/newer/install.sh --key /tmp/release/release.pub',
  }

  test('a release is replaced by a newer one, and comes back with the state that it had', async () => {
    await type([install, token, settings, ...start].join('\n'))
    await follow('docs/how-to/upgrade.md', {
      ...reading('/root'),
      places: upgrading,
      notRun: { 'state.root': 'this unit was never root' },
      before: async ({ text }) => {
        if (text.includes('doctor')) assert.equal(await readlink(root.at('opt/gatehouse/current')), `v${newer}`)
        if (text.includes('state.newer')) await type(`${svcctl} token create after --role auditor --file /root/after.token`)
      },
    })
    assert.equal(await readlink(root.at('opt/gatehouse/current')), `v${version}`)
    await type(`${svcctl} token list | grep before; ! ${svcctl} token list | grep after`)
    await type(purge)
  })

  test('a unit that was root goes over with its state to the one that is not', async () => {
    await type(['rm -f /root/before.* /root/key.txt', install, token, settings].join('\n'))
    const file = root.at('etc/systemd/system/gatehouse.service')
    const unit = await readFile(file, 'utf8')
    await writeFile(file, asRoot(unit))
    await type(['systemctl daemon-reload', ...start].join('\n'))
    const asked = 'systemctl show --property MainPID --value gatehouse'
    await type(`test "$(stat -c %u /proc/$(${asked}) /var/lib/gatehouse/state | sort -u)" = 0`)
    await follow('docs/how-to/upgrade.md', {
      ...reading('/root'),
      places: upgrading,
      notRun: {
        'systemctl restart gatehouse': 'the page has other lines for a unit that was root',
        doctor: 'likewise',
        'state.newer': 'nothing goes back',
      },
    })
    assert.equal(await readFile(file, 'utf8'), unit)
    await type(`test "$(stat -c %u /proc/$(${asked}) /var/lib/gatehouse/state | sort -u)" = 65532`)
    await type(`${svcctl} token list | grep before`)
    await type(purge)
  })
}

// In the fast profile install.sh is tried without systemd, and the units as systemd judges them.
if (isFull) suite('pages about a bare host', { skip, timeout: 600_000 }, pages)
