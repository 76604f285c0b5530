// The control-plane image as it is meant to be run: hardened, serving the whole way of a change, and saying what it lacks.
// Profile: rest. Builds an image and repeats the mission in it.
import assert from 'node:assert/strict'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createClient } from '@gatehouse/client'
import { isServiceError } from '@gatehouse/contracts'
import { buildControlPlane } from '@gatehouse/images/trial'
import { loadLayout } from '@gatehouse/images/load'
import { execa } from 'execa'
import { waitFor } from '../src/wait-for.ts'
import { lacking } from './fixtures/container-world.ts'
import { hardened, healthyOf, linesOf, ownName, postureOf, removeContainer, tokenOf } from './fixtures/container.ts'

const skip = (await lacking('docker')) || (process.getuid?.() === 0 ? false : 'needs root: for directories of another uid')
const stateDir = '/var/lib/gatehouse/state'

describe('the control-plane image', { skip, timeout: 400_000 }, () => {
  let room = ''
  const image = `${ownName('image')}:1`
  const volume = ownName('volume')
  const names: string[] = []

  before(async () => {
    room = await mkdtemp(join(tmpdir(), 'gatehouse-image-'))
    await loadLayout(await buildControlPlane(room), 'docker', image)
  })
  after(async () => {
    for (const name of names) await removeContainer(name)
    await execa('docker', ['volume', 'rm', '--force', volume], { reject: false })
    await execa('docker', ['image', 'rm', '--force', image], { reject: false })
    await rm(room, { recursive: true, force: true })
  })

  const run = async (...flags: readonly string[]): Promise<string> => {
    const name = ownName('unit')
    names.push(name)
    await execa('docker', ['run', '--detach', '--name', name, ...hardened, ...flags, image])
    return name
  }

  /** Its port is on the loopback of this host alone. */
  const serve = async () => {
    const name = await run('--publish', '127.0.0.1::8787', '--env', 'SERVICE_API_ADDR=0.0.0.0:8787', '--volume', `${volume}:${stateDir}`)
    const { stdout } = await execa('docker', ['port', name, '8787/tcp'])
    const address = `http://${stdout.trim()}`
    await waitFor(`${name} to be ready`, 90_000, async () => (await fetch(`${address}/readyz`)).status === 200).catch(
      async (error: unknown) => {
        throw new Error((await linesOf(name)).join('\n'), { cause: error })
      },
    )
    return { name, address }
  }

  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (isServiceError(error) ? error.code : String(error)),
    )

  test('serves the way of a change under its hardened flags, and goes on where it was after a restart', async () => {
    const first = await serve()
    const token = await tokenOf(first.name)
    const client = createClient({ address: first.address, token })
    assert.equal((await client.status()).sandbox.status, 'off')
    const wish = { kind: 'agent_create', agentGroupID: 'clerk', after: { id: 'clerk', name: 'Clerk', agent: 'mock' } }
    const { id, state } = await client.changes.submit(wish)
    assert.equal(state, 'held')
    assert.equal((await client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
    const alice = await client.tokens.create({ name: 'alice', role: 'requester' })
    const hers = createClient({ address: first.address, token: alice.token })
    const persona = { kind: 'persona', agentGroupID: 'clerk', after: { instructions: 'Be brief.' } }
    const held = await hers.changes.submit(persona)
    assert.equal(await codeOf(hers.changes.decide(held.id, { outcome: 'approve', decidedBy: 'alice' })), 'forbidden')
    await client.freezes.freeze({ reason: 'a test' })
    assert.equal((await client.status()).frozen.length, 1)
    await client.freezes.unfreeze({ reason: 'over' })
    assert.equal(await codeOf(client.chat.send({ agentGroupID: 'clerk', text: 'hello' })), 'no-sandbox')
    await removeContainer(first.name)

    const second = await serve()
    const again = createClient({ address: second.address, token })
    assert.equal((await again.changes.show(held.id)).state, 'held')
    assert.equal((await again.changes.decide(held.id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
    const verified = await execa('docker', ['exec', second.name, '/bin/svcctl', 'audit', 'verify', '--json'])
    assert.match(verified.stdout, /"signatures": true/)
    const file = ['--token-file', `${stateDir}/admin-token`]
    const shown = await execa('docker', ['exec', second.name, '/bin/svcctl', ...file, 'change', 'history'])
    assert.match(shown.stdout, /agent_create/)
    const lines = await linesOf(second.name)
    assert.equal(lines.join('\n').includes(token), false, 'the token is shown once in the life of a state')
    assert.deepEqual(await postureOf(second.name), {
      uid: ['65532', '65532', '65532', '65532'],
      gid: ['65532', '65532', '65532', '65532'],
      bounding: '0000000000000000',
      effective: '0000000000000000',
      noNewPrivileges: '1',
      seccomp: '2',
      root: 'EROFS',
      app: 'EROFS',
      bin: 'EROFS',
      state: 'written',
      run: 'written',
      memory: String(768 * 1024 * 1024),
      pids: '256',
      environ: ['EACCES'],
    })
    const stopped = await execa('docker', ['stop', '--time', '60', second.name])
    assert.equal(stopped.exitCode, 0)
    const { stdout } = await execa('docker', ['container', 'inspect', '--format', '{{.State.ExitCode}}', second.name])
    assert.equal(stdout, '0')
  })

  test('without its flags a look from inside finds each of them missing', async () => {
    const name = ownName('unit')
    names.push(name)
    const idle = ['--entrypoint', '/bin/node', image, '-e', 'setInterval(() => {}, 1e9)']
    await execa('docker', ['run', '--detach', '--name', name, '--user', '0:0', '--network', 'none', ...idle])
    const found = (await postureOf(name)) as Record<string, unknown>
    assert.equal(found['noNewPrivileges'], '0')
    assert.notEqual(found['bounding'], '0000000000000000')
    assert.deepEqual([found['root'], found['app'], found['bin']], ['written', 'written', 'written'])
    assert.notEqual(found['pids'], '256')
    assert.deepEqual(found['environ'], ['read'])
  })

  test('without a network it starts and is healthy', async () => {
    const name = await run('--network', 'none', '--tmpfs', `${stateDir}:uid=65532,gid=65532,mode=0700`)
    await healthyOf(name)
    const status = await execa('docker', ['exec', name, '/bin/svcctl', '--token-file', `${stateDir}/admin-token`, 'status', '--json'])
    assert.match(status.stdout, /"status":\s*"off"/)
  })

  test('on a volume of root it ends with 77 and the line to run, and starts once that was run', async () => {
    const directory = join(room, 'volume')
    await mkdir(directory, { mode: 0o755 })
    const name = await run('--network', 'none', '--volume', `${directory}:${stateDir}`)
    const { stdout: code } = await execa('docker', ['wait', name])
    const text = (await linesOf(name)).join('\n')
    assert.equal(code, '77', text)
    assert.match(text, /run as root: chown -R 65532:65532 \/var\/lib\/gatehouse\/state && chmod 0700 \/var\/lib\/gatehouse\/state"/)
    await chown(directory, 65_532, 65_532)
    await execa('chmod', ['0700', directory])
    await execa('docker', ['start', name])
    await healthyOf(name)
  })
})
