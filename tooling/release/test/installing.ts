// install.sh on a root that nothing was installed on: what it puts there, what it refuses, and that nothing stays of it.
import assert from 'node:assert/strict'
import { appendFile, chmod, copyFile, cp, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { execa } from 'execa'
import { CleanRoot } from './clean-root.ts'
import { checkout, type Made, makeKey, tarballName, version } from './made.ts'

const script = '/tmp/release/install.sh'
const key = ['--key', '/tmp/release/release.pub']
const installed = `/opt/gatehouse/v${version}`

/** Tests of what the script makes of a release. */
export const installing = (given: () => Made) => () => {
  let made: Made
  let root: CleanRoot
  let untouched: Map<string, string>
  const install = (...flags: string[]) => root.run(made.folder, [script, ...flags])

  before(async () => {
    made = given()
    root = await CleanRoot.make()
    untouched = await root.contents()
  })
  after(() => root.remove())

  test('has nothing that shellcheck would mend', async () => {
    await execa('shellcheck', ['install.sh', 'gatehouse', 'svcctl'], { cwd: join(checkout, 'deploy/host') })
  })

  test('installs nothing without a signature, or under one that is not by the key', async () => {
    const without = await install()
    assert.deepEqual([without.exitCode, without.stderr.includes('nothing is installed that is not signed')], [2, true])
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-forged-'))
    try {
      await cp(made.folder, folder, { recursive: true })
      const forged = () => root.run(folder, [script, ...key])
      const refused = async (reason: RegExp): Promise<void> => {
        const { exitCode, stderr } = await forged()
        assert.equal(exitCode, 1, stderr)
        assert.match(stderr, reason)
      }
      await writeFile(join(folder, 'release.pub'), makeKey().publicKey)
      await refused(/not by this key: nothing was installed/)
      await copyFile(made.key, join(folder, 'release.pub'))
      await appendFile(join(folder, 'SHA256SUMS'), '\n')
      await refused(/not by this key: nothing was installed/)
      await copyFile(join(made.folder, 'SHA256SUMS'), join(folder, 'SHA256SUMS'))
      await appendFile(join(folder, tarballName), 'x')
      await refused(/expected SHA-256 \w+, got \w+: nothing was installed/)
      await rm(join(folder, 'SHA256SUMS.sig'))
      await refused(/expected the signature .*SHA256SUMS\.sig, got no file/)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    assert.deepEqual(await root.contents(), untouched)
  })

  test('wants cosign where a workflow signed, and takes its word', async () => {
    const flags = ['--identity', 'https://example.org/workflow', '--issuer', 'https://example.org']
    const none = await install(...flags)
    assert.deepEqual([none.exitCode, none.stderr.includes('expected the program cosign, got none')], [1, true])
    await writeFile(join(made.folder, 'SHA256SUMS.sigstore.json'), '{}')
    const cosign = root.at('usr/local/bin/cosign')
    const answer = async (code: number) => {
      await writeFile(cosign, `#!/bin/sh\nprintf '%s ' "$@" >/tmp/asked\nexit ${code}\n`, { mode: 0o755 })
      return root.run(made.folder, [script, ...flags, '--dry-run'], { env: { PATH: '/usr/sbin:/usr/bin:/usr/local/bin' } })
    }
    const refused = await answer(1)
    assert.deepEqual([refused.exitCode, refused.stderr.includes('not by that workflow')], [1, true])
    const taken = await answer(0)
    assert.equal(taken.exitCode, 0, taken.stderr)
    assert.match(
      await readFile(root.at('tmp/asked'), 'utf8'),
      /^verify-blob --bundle \S+ --certificate-identity https:\/\/example.org\/workflow --certificate-oidc-issuer https:\/\/example.org \S+SHA256SUMS $/,
    )
    await rm(cosign)
  })

  test('says what it would do and does none of it', async () => {
    const { stdout, exitCode } = await install(...key, '--dry-run')
    assert.equal(exitCode, 0)
    assert.match(stdout, /would: useradd .*65532/)
    assert.deepEqual(await root.contents(), untouched)
  })

  test('installs the release, the account, the places for settings and secrets, and the units; a second run changes nothing', async () => {
    const { exitCode, stderr } = await install(...key)
    assert.equal(exitCode, 0, stderr)
    const modeOf = async (path: string) => ((await stat(root.at(path))).mode & 0o7777).toString(8)
    assert.deepEqual(
      [await modeOf('etc/gatehouse/gatehouse.env'), await modeOf('etc/gatehouse/credentials'), await modeOf(`${installed}/bin/node`)],
      ['600', '700', '711'],
    )
    assert.equal(await modeOf(`${installed}/lib/rootfs/bin/node`), '755')
    assert.match(await readFile(root.at('etc/passwd'), 'utf8'), /^gatehouse:x:65532:65532:.*nologin$/m)
    const first = await root.contents()
    for (const unit of ['gatehouse.service', 'gatehouse-control-plane.service', 'gatehouse-setup@.service'])
      assert.ok(first.has(`/etc/systemd/system/${unit}`), unit)
    const again = await install(...key)
    assert.equal(again.exitCode, 0, again.stderr)
    assert.deepEqual(await root.contents(), first)
    const { stdout } = await root.run(made.folder, ['/usr/local/bin/gatehouse', '--version'])
    assert.match(stdout, /^\d+\.\d+\.\d+$/)
  })

  test('names the release that it replaces, and takes an older one only when told to', async () => {
    const current = root.at('opt/gatehouse/current')
    const over = async (there: string, ...flags: string[]) => {
      await rm(current)
      await symlink(there, current)
      const { exitCode, stdout, stderr } = await install(...key, ...flags)
      return { exitCode, said: `${stdout}\n${stderr}`, now: await readlink(current) }
    }
    const refused = await over('v9.8.10')
    assert.deepEqual([refused.exitCode, refused.now], [1, 'v9.8.10'], refused.said)
    assert.match(refused.said, /expected v9\.8\.10 or a newer release, got v9\.8\.7: nothing was installed\n.*--allow-downgrade/)
    const newer = await over('v9.8.7-alpha.2', '--dry-run')
    assert.match(newer.said, /^replaces v9\.8\.7-alpha\.2 by v9\.8\.7$/m)
    const allowed = await over('v9.8.10', '--allow-downgrade')
    assert.deepEqual([allowed.exitCode, allowed.now], [0, `v${version}`], allowed.said)
    assert.match(allowed.said, /^replaces v9\.8\.10 by v9\.8\.7, which is older$/m)
  })

  test('knows which of two releases is the older one', async () => {
    const text = await readFile(join(checkout, 'deploy/host/install.sh'), 'utf8')
    const judge = /^precedes\(\) \{$[^]*?^\}$/m.exec(text)?.[0] ?? ''
    const order = [
      'v0.9.9',
      'v0.10.0',
      'v1.0.0-alpha',
      'v1.0.0-alpha.9',
      'v1.0.0-alpha.10',
      'v1.0.0-beta',
      'v1.0.0',
      'v1.0.1',
      'v1.2.0',
      'v1.10.0',
    ]
    const script = `${judge}\nfor a in $*; do for b in $*; do if precedes $a $b; then echo "$a $b"; fi; done; done`
    const { stdout } = await execa('sh', ['-c', script, 'sh', ...order, 'v1.0.0+build'])
    const expected = [...order, 'v1.0.0+build'].flatMap((one) =>
      [...order, 'v1.0.0+build'].flatMap((other) => {
        const place = (name: string) => order.indexOf(name.replace('+build', ''))
        return place(one) < place(other) ? [`${one} ${other}`] : []
      }),
    )
    assert.deepEqual(stdout.split('\n').toSorted(), expected.toSorted())
  })

  test('leaves the mode of every directory that is there as it is', async () => {
    const modes = { 'usr/local/bin': 0o2775, 'etc/systemd/system': 0o750, 'etc/gatehouse': 0o711, 'opt/gatehouse': 0o711 }
    const now = async () => Promise.all(Object.keys(modes).map(async (path) => (await stat(root.at(path))).mode & 0o7777))
    const before = await now()
    const give = (wanted: readonly number[]) => Promise.all(Object.keys(modes).map((path, at) => chmod(root.at(path), wanted[at] ?? 0)))
    await give(Object.values(modes))
    // Without its stamp the release is unpacked once more.
    await rm(root.at(`${installed}/.sha256`))
    const { exitCode, stderr, stdout } = await install(...key)
    const after = await now()
    await give(before)
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, /^installed \/opt/m)
    assert.deepEqual(after, Object.values(modes))
  })

  test('refuses a place of its own that others may write', async () => {
    for (const path of ['etc/gatehouse', 'opt/gatehouse']) {
      await chmod(root.at(path), 0o775)
      const { exitCode, stderr } = await install(...key)
      await chmod(root.at(path), 0o755)
      assert.equal(exitCode, 1)
      assert.match(stderr, new RegExp(`expected /${path} to be root's and written by nobody else, got mode 775 of uid 0`))
    }
  })

  test('refuses settings and secrets that others may read', async () => {
    for (const [path, mode, wide] of [
      ['etc/gatehouse/gatehouse.env', 0o600, 0o640],
      ['etc/gatehouse/credentials', 0o700, 0o750],
    ] as const) {
      await chmod(root.at(path), wide)
      const { exitCode, stderr } = await install(...key)
      await chmod(root.at(path), mode)
      assert.equal(exitCode, 1)
      assert.match(stderr, new RegExp(`expected mode ${mode.toString(8)} of root on /${path}, got ${wide.toString(8)}`))
    }
  })

  test('starts as the units say: by the Node that nobody can read, as the account, with no powers', async () => {
    const unit = await readFile(root.at('etc/systemd/system/gatehouse-control-plane.service'), 'utf8')
    const start = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? ''
    const drop = 'setpriv --reuid 65532 --regid 65532 --clear-groups --no-new-privs --bounding-set -all --inh-caps -all'
    const { stdout, stderr, exitCode } = await root.run(made.folder, `${drop} ${start} --help`.split(' '))
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, /gatehouse: runs AI agents/)
    const read = await root.run(made.folder, ['setpriv', '--reuid', '65532', '--clear-groups', 'cat', `${installed}/bin/node`])
    assert.match(read.stderr, /Permission denied/)
  })

  test('uninstalled, it leaves state and settings; purged, nothing', async () => {
    await root.run(made.folder, ['/usr/local/bin/gatehouse', 'setup'])
    await writeFile(root.at('var/lib/gatehouse/state/of-the-unit'), 'kept')
    const { exitCode, stderr } = await install('--uninstall')
    assert.equal(exitCode, 0, stderr)
    const left = await root.contents()
    assert.ok(left.has('/var/lib/gatehouse/state/of-the-unit') && left.has('/etc/gatehouse/gatehouse.env'))
    assert.deepEqual(
      [...left.keys()].filter((path) => /opt\/gatehouse|systemd\/system\/|local\/bin\//.test(path)),
      [],
    )
    await install(...key)
    const purged = await install('--uninstall', '--purge')
    assert.equal(purged.exitCode, 0, purged.stderr)
    assert.deepEqual(await root.contents(), untouched)
  })
}
