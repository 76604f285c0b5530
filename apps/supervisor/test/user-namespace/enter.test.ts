// Going into a user namespace: made and pinned by root, entered by its owner without a power, root in there over the ids of sandboxes alone.
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { execa } from 'execa'
import { namespaceIds, reserved } from '../../src/identities.ts'
import { userNamespace } from '../../src/setup-steps/user-namespace.ts'
import { runSetup } from '../../src/setup/run.ts'
import { enterUserNamespace } from '../../src/user-namespace.ts'

const owner = 65_532
const skip = process.getuid?.() === 0 ? false : 'needs root: to map ids of others'
const powerless = [
  '--reuid',
  `${owner}`,
  '--regid',
  `${owner}`,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set',
  '-all',
  '--inh-caps',
  '-all',
]

suite('a user namespace for a unit without root', { skip }, () => {
  let folder: string
  let pin: string
  let etc: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-namespace-'))
    etc = join(folder, 'etc')
    await mkdir(etc)
    await chmod(folder, 0o755)
    pin = join(folder, 'pin/user-namespace')
  })
  after(async () => {
    await setup('--remove')
    await rm(folder, { recursive: true })
  })

  const setup = async (...flags: string[]): Promise<{ exit: number; said: string }> => {
    const said: string[] = []
    const site = { run: join(folder, 'run'), etc }
    const options = { env: { SERVICE_USER_NAMESPACE: pin }, write: (text: string) => void said.push(text), site, steps: [userNamespace] }
    const exit = await runSetup(['--state-dir', join(folder, 'state'), ...flags], options)
    return { exit, said: said.join('') }
  }
  const make = () => setup('--owner', `${owner}`, '--user-namespace')
  /** Run by its owner without a capability. */
  const inside = (script: string) => {
    const enter = join(import.meta.dirname, '../fixtures/enter.ts')
    return execa('setpriv', [...powerless, process.execPath, enter, pin, 'sh', '-c', script], { reject: false, cwd: '/' })
  }

  test('is pinned with exactly the ids that are reserved, once, and gone when it is taken away', async () => {
    const made = await make()
    assert.equal(made.exit, exits.stopped, made.said)
    const { ino } = await stat(pin)
    assert.match((await make()).said, /before:\n +user-namespace +ready/)
    assert.equal((await stat(pin)).ino, ino, 'it is the same one')
    const rows = namespaceIds(owner).map((row) => row.join(' '))
    for (const name of ['uid_map', 'gid_map']) {
      const { stdout } = await inside(`cat /proc/self/${name}`)
      assert.deepEqual(
        stdout.split('\n').map((line) => line.trim().split(/\s+/).join(' ')),
        rows,
      )
    }
    const outside = namespaceIds(owner).slice(1)
    assert.ok(outside.every(([, first, count]) => first >= reserved.first && first + count <= reserved.first + reserved.count))
    assert.equal((await setup('--remove')).exit, exits.stopped)
    await assert.rejects(stat(pin), { code: 'ENOENT' })
    await make()
  })

  test('is looked at without going into it: its owner could seize who goes', async () => {
    await make()
    const trace = join(folder, 'trace')
    const main = join(import.meta.dirname, '../../src/main.ts')
    const look = ['setup', '--dry-run', '--state-dir', join(folder, 'state'), '--owner', `${owner}`, '--user-namespace']
    const words = ['-f', '-qq', '-e', 'trace=setns,execve', '-o', trace, process.execPath, '--import', 'tsx', main, ...look]
    const { stdout } = await execa('strace', words, { env: { SERVICE_USER_NAMESPACE: pin }, reject: false })
    assert.match(stdout, /user-namespace +ready/)
    const traced = await readFile(trace, 'utf8')
    assert.match(traced, /execve\(/)
    assert.doesNotMatch(traced, /setns\(|nsenter/)
  })

  test('is not made, and taken back, where some of its ids are of somebody else', async () => {
    await make()
    await writeFile(join(etc, 'subuid'), 'alice:689824:65536\n')
    const { exit, said } = await make()
    assert.equal(exit, exits.configuration)
    assert.match(said, /user-namespace +blocked +it would map ids of somebody else/)
    assert.notEqual((await inside('true')).exitCode, 0)
    await rm(join(etc, 'subuid'))
    for (const name of ['passwd', 'group']) {
      await writeFile(join(etc, name), `root:x:0:0\nbob:x:${reserved.first + 5}:\n`)
      assert.match((await make()).said, /blocked/)
      await rm(join(etc, name))
    }
    assert.equal((await make()).exit, exits.stopped)
  })

  test('is made anew where the owner is another', async () => {
    const { exit, said } = await setup('--owner', '65531', '--user-namespace')
    assert.equal(exit, exits.stopped)
    assert.match(said, /before:\n +user-namespace +lacking +the one at \S+ has other ids\n.*after:\n +user-namespace +ready/s)
    await make()
  })

  test('gives its owner files of sandboxes and mounts of its own, and nothing of the host', async () => {
    const own = join(folder, 'own')
    await writeFile(own, 'x')
    await chown(own, owner, owner)
    const secret = join(folder, 'of-root')
    await writeFile(secret, 'x', { mode: 0o600 })
    const script = `id -u; chown 700001:700001 ${own}; mount -t tmpfs tmpfs /mnt && echo mounted; cat ${secret}; chown 0:0 ${secret}; chown 1000:1000 ${own}; kill -0 1`
    const { stdout, stderr } = await inside(script)
    assert.deepEqual(stdout.split('\n'), ['0', 'mounted'])
    assert.equal((await stat(own)).uid, 700_001)
    for (const refused of [/of-root.*[Pp]ermission denied/, /of-root.*[Nn]ot permitted/, /own.*Invalid argument/, /kill.*[Nn]ot permitted/])
      assert.match(stderr, refused)
  })

  test('is not entered by anybody else', async () => {
    const words = ['--reuid', '65531', '--clear-groups', '--bounding-set', '-all', '--inh-caps', '-all', 'nsenter', `--user=${pin}`, 'id']
    const { exitCode, stderr } = await execa('setpriv', words, { reject: false })
    assert.notEqual(exitCode, 0)
    assert.match(stderr, /not permitted/)
  })

  test('is not entered by root, who could be seized in there', async () => {
    const entering = enterUserNamespace({ pin, command: ['true'], become: () => assert.fail('entered') })
    await assert.rejects(entering, { exit: exits.noPermission, detail: /expected to be started by the owner of .*, got root/ })
  })

  test('that is not there, or no namespace, refuses the start with what to type', async () => {
    const plain = join(folder, 'plain')
    await writeFile(plain, '')
    for (const at of [join(folder, 'nowhere'), plain, folder]) {
      const error: unknown = await enterUserNamespace({ pin: at, command: ['true'], become: () => assert.fail('entered') }).catch(
        (thrown: unknown) => thrown,
      )
      assert.ok(isRefusal(error), String(error))
      // What is not there may come: then the service manager starts us again.
      assert.equal(error.exit, at.endsWith('nowhere') ? exits.childCannotStart : exits.noPermission)
      assert.match(error.hint ?? '', /gatehouse-sandboxes/)
    }
  })

  test('is for whoever is not root', async () => {
    await assert.rejects(setup('--user-namespace'), /expected --owner with another uid than root/)
  })
})
