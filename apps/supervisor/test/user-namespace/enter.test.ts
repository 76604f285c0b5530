// Going into a user namespace: made and pinned by root, entered by its owner without a power, root in there over the ids of sandboxes alone.
import assert from 'node:assert/strict'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, after, suite, test } from 'node:test'
import { exits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { execa } from 'execa'
import { namespaceIds, reserved } from '../../src/plan/identities.ts'
import { runSetup } from '../../src/setup/run.ts'
import { userNamespace } from '../../src/setup/steps/user-namespace.ts'
import { enterUserNamespace } from '../../src/user-namespace/enter.ts'

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
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-namespace-'))
    await chmod(folder, 0o755)
    pin = join(folder, 'pin/user-namespace')
  })
  after(async () => {
    await setup('--remove')
    await rm(folder, { recursive: true })
  })

  const setup = async (...flags: string[]): Promise<{ exit: number; said: string }> => {
    const said: string[] = []
    const options = { env: { SERVICE_USER_NAMESPACE: pin }, write: (text: string) => void said.push(text), steps: [userNamespace] }
    const exit = await runSetup(['--state-dir', join(folder, 'state'), ...flags], options)
    return { exit, said: said.join('') }
  }
  const make = () => setup('--owner', `${owner}`, '--user-namespace')
  /** What an entry becomes in the end, run by its owner without a capability. */
  const inside = async (script: string) => {
    let became: readonly string[] = []
    const command = ['sh', '-c', script]
    await enterUserNamespace({ pin, command, become: (file, args) => (became = [file, ...args]) }).catch(() => undefined)
    return execa('setpriv', [...powerless, ...became], { reject: false })
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

  test('that is not there, or no namespace, refuses the start with what to type', async () => {
    const plain = join(folder, 'plain')
    await writeFile(plain, '')
    for (const at of [join(folder, 'nowhere'), plain, folder]) {
      const error: unknown = await enterUserNamespace({ pin: at, command: ['true'], become: () => assert.fail('entered') }).catch(
        (thrown: unknown) => thrown,
      )
      assert.ok(isRefusal(error), String(error))
      assert.equal(error.exit, exits.noPermission)
      assert.match(error.hint ?? '', /gatehouse-sandboxes/)
    }
  })

  test('is for whoever is not root', async () => {
    await assert.rejects(setup('--user-namespace'), /expected --owner with another uid than root/)
  })
})
