// The program that takes a volume of root over, run as root beside the built unit: it ends up as 65532, with no way back.
// Profile: rest. One way to deploy, as a whole unit on this host.
import assert from 'node:assert/strict'
import { chmod, chown, copyFile, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { createClient } from '@gatehouse/client'
import { freePort, release, waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { folder, readTemplates } from './templates.ts'

const needsRoot = process.getuid?.() === 0 ? false : 'needs root: to make a volume as a platform does'
if (needsRoot !== false && process.env['CI'] === 'true') throw new Error(needsRoot)

const token = 'a'.repeat(40)
const passphrase = 'correct horse battery staple'

suite('a volume that belongs to root', { skip: needsRoot }, () => {
  let place: string
  let port: number
  const running: { readonly end: () => boolean; readonly ended: Promise<unknown> }[] = []

  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'gh-own-'))
    await chmod(place, 0o755)
    port = await freePort()
    await mkdir(join(place, 'app'))
    await copyFile(join(folder, 'own-volume.mjs'), join(place, 'app/own-volume.mjs'))
    await symlink(join(release, 'gatehouse.mjs'), join(place, 'app/gatehouse.mjs'))
    await mkdir(join(place, 'run'))
    await chmod(join(place, 'run'), 0o777)
  })
  after(async () => {
    for (const each of running) {
      each.end()
      await each.ended
    }
    await rm(place, { recursive: true, force: true })
  })

  const freshVolume = async (name: string): Promise<string> => {
    const volume = join(place, name)
    await mkdir(volume)
    await chmod(volume, 0o755)
    await mkdir(join(volume, 'lost+found'), { mode: 0o700 })
    return volume
  }

  /** With the variables of the template for Render; as whom the platform would start it. */
  const start = async (volume: string, program = 'own-volume.mjs', uid = 0) => {
    const [service] = (await readTemplates()).render.services
    const set = Object.fromEntries((service?.envVars ?? []).map((each) => [each.key, 'value' in each ? each.value : '']))
    const env = {
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [name, value.replace('/var/lib/gatehouse/state', volume)])),
      SERVICE_API_ADDR: `127.0.0.1:${port}`,
      SERVICE_PUBLIC_URL: 'https://gatehouse.example',
      SERVICE_API_TOKEN: token,
      XDG_RUNTIME_DIR: join(place, 'run'),
    }
    const options = { env, extendEnv: false, uid, gid: uid, stdin: 'ignore', all: true, buffer: false, reject: false } as const
    const child = execa(process.execPath, [join(place, 'app', program)], options)
    const lines: string[] = []
    createInterface({ input: child.all }).on('line', (line) => lines.push(line))
    const unit = {
      pid: child.pid ?? 0,
      over: false,
      end: () => child.kill('SIGTERM'),
      ended: child.then(({ exitCode }) => ({ code: exitCode, said: lines.join('\n') })),
    }
    running.push(unit)
    void unit.ended.then(() => (unit.over = true))
    return unit
  }

  const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200

  const untilReady = async (unit: Awaited<ReturnType<typeof start>>): Promise<void> => {
    await waitFor('the unit to be ready, or to end', 90_000, async () => unit.over || (await isReady()))
    if (unit.over) assert.fail((await unit.ended).said)
  }

  const stop = async (unit: Awaited<ReturnType<typeof start>>): Promise<void> => {
    unit.end()
    assert.equal((await unit.ended).code, 0)
  }

  const rightsOf = async (pid: number): Promise<string[]> =>
    (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n').filter((line) => /^(Uid|Gid|Groups|CapPrm|CapEff):/.test(line))
  const none = [
    'Uid:\t65532\t65532\t65532\t65532',
    'Gid:\t65532\t65532\t65532\t65532',
    'Groups:\t ',
    'CapPrm:\t0000000000000000',
    'CapEff:\t0000000000000000',
  ]

  test('is given to 65532, which every process of the unit then is, without any capability', async () => {
    const volume = await freshVolume('volume')
    const unit = await start(volume)
    await untilReady(unit)
    const found = await lstat(volume)
    assert.deepEqual([found.uid, found.gid, found.mode & 0o777], [65532, 65532, 0o700])
    const { processes } = await createClient({ address: `http://127.0.0.1:${port}`, token }).status()
    const pids = [unit.pid, ...processes.flatMap(({ pid }) => pid ?? [])]
    assert.ok(pids.length > 3)
    for (const pid of pids) assert.deepEqual(await rightsOf(pid), none)

    const backup = await fetch(`http://127.0.0.1:${port}/v1/backup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ passphrase }),
    })
    assert.equal(backup.status, 200, 'what the volume has of root is in the way of a backup')
    assert.match(await backup.text(), /^age-encryption\.org\/v1/)
    await stop(unit)

    const again = await start(volume)
    await untilReady(again)
    await stop(again)
  })

  test('is refused by the unit itself, where nobody gives it away', async () => {
    const unit = await start(await freshVolume('kept'), 'gatehouse.mjs', 65532)
    const { code, said } = await unit.ended
    assert.equal(code, 77, said)
    assert.match(said, /chown -R 65532:65532 /)
  })

  test('is not served by a program that keeps root, or keeps the volume', async () => {
    const source = await readFile(join(folder, 'own-volume.mjs'), 'utf8')
    for (const [index, act] of ['  becomeUnit()\n', '  process.setuid(unit)\n', '  process.setgid(unit)\n', '  giveVolume()\n'].entries()) {
      const weakened = source.replace(act, () => '')
      assert.notEqual(weakened, source, act)
      await writeFile(join(place, `app/weakened-${index}.mjs`), weakened)
      const { code, said } = await (await start(await freshVolume(`weakened-${index}`), `weakened-${index}.mjs`)).ended
      assert.equal(code, 77, `${act}: ${said}`)
    }
  })

  test('is not given away where it belongs to somebody else, or is a link', async () => {
    const foreign = await freshVolume('foreign')
    await chown(foreign, 1000, 1000)
    const link = join(place, 'link')
    await symlink(place, link)
    for (const volume of [foreign, link]) {
      const { code, said } = await (await start(volume)).ended
      assert.equal(code, 77, said)
      assert.match(said, /own-volume: expected /)
    }
    assert.equal((await lstat(foreign)).uid, 1000)
    assert.equal((await lstat(place)).uid, 0)
  })
})
