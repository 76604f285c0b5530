// The stack of compose: nothing starts without a good signature, it serves over TLS alone, and every line of its hardening holds.
// Profile: rest. Needs images and a compose stack, for one way to deploy.
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createClient, type Fetch } from '@gatehouse/client'
import { execa } from 'execa'
import { Agent, fetch as fetchBy } from 'undici'
import { follow } from '../src/documents/follow.ts'
import { root } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { lacking } from './fixtures/container-world.ts'
import { linesOf, postureOf } from './fixtures/container.ts'
import { renew } from './fixtures/renewing.ts'
import { rollingBack } from './fixtures/rolling-back.ts'
import { openStack, type Stack, type Tools } from './fixtures/stack.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

const programOf = async (name: string): Promise<string | null> => {
  const found = await execa('which', [name], { reject: false })
  return found.failed ? null : found.stdout
}

const needs = async (): Promise<string | false> => {
  const docker = await lacking('docker')
  if (docker !== false) return docker
  const missing: string[] = []
  for (const name of ['age', 'caddy', 'docker-compose']) if ((await programOf(name)) === null) missing.push(name)
  if (missing.length === 0 && process.getuid?.() === 0) return false
  const reason = `needs root and ${missing.join(' and ') || 'nothing else'}, install with apt-get install ${missing.join(' ')}`
  if (process.env['CI'] === 'true') throw new Error(reason)
  return reason
}
const skip = await needs()

/** The real cosign takes minutes to build, so that only a machine that has it asks it. */
const cosign = full ? await programOf('cosign') : null
const tools: readonly (readonly [string, Tools])[] = [
  ['the Compose of Debian', { cosign: null, compose: null }],
  ...(cosign === null ? [] : ([['the real cosign', { cosign, compose: process.env['GATEHOUSE_COMPOSE'] ?? null }]] as const)),
]

const impatient = 'services: { gatehouse: { healthcheck: { interval: 1s } } }\n'

interface Inspected {
  readonly Config: { readonly User: string; readonly Image: string; readonly Env: readonly string[] }
  readonly HostConfig: Readonly<Record<string, unknown>>
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, unknown>>
    readonly Networks: Readonly<Record<string, { IPAddress: string }>>
  }
}

const inspect = async (container: string | undefined): Promise<Inspected> => {
  assert.ok(container !== undefined)
  const { stdout } = await execa('docker', ['container', 'inspect', container])
  const [found] = JSON.parse(stdout) as Inspected[]
  assert.ok(found !== undefined)
  return found
}

/** What a reader types in the place of what the page has for an example. */
const placesOf = ({ directory, settings }: Stack): Record<string, string> => {
  const digest = (digit: string): string => `@sha256:${digit.repeat(64)}`
  return {
    'cd compose': `cd '${directory}'`,
    [`registry.example.org/gatehouse${digest('1')}`]: settings.GATEHOUSE_IMAGE,
    [`docker.io/library/caddy${digest('2')}`]: settings.CADDY_IMAGE,
    'gatehouse.example.org': settings.GATEHOUSE_HOST,
    'admin@example.org': settings.GATEHOUSE_TLS,
    'GATEHOUSE_DATA=/var/lib/gatehouse': `GATEHOUSE_DATA=${settings.GATEHOUSE_DATA}`,
    'GATEHOUSE_HTTPS=443': `GATEHOUSE_HTTPS=${settings.GATEHOUSE_HTTPS}`,
    'GATEHOUSE_HTTP=80': `GATEHOUSE_HTTP=${settings.GATEHOUSE_HTTP}`,
    '172.30.87.0/28': settings.GATEHOUSE_SUBNET,
    'COMPOSE_PROJECT_NAME=gatehouse': `COMPOSE_PROJECT_NAME=${settings.COMPOSE_PROJECT_NAME}`,
    // The Compose of Debian is a program of its own, and a test has no terminal.
    'docker compose exec': 'docker-compose exec -T',
    'docker compose': 'docker-compose',
  }
}

for (const [name, given] of tools) {
  describe(`the stack, with ${name}`, { skip, timeout: 600_000 }, () => {
    let stack: Stack
    before(async () => {
      stack = await openStack(given)
      // In the full profile it is asked as often as the image says.
      if (!full) await writeFile(join(stack.directory, 'compose.override.yaml'), impatient)
    })
    after(() => stack.dispose())

    const refusal = async (changed: Readonly<Record<string, string | undefined>> = {}, mode = 0o600): Promise<string> => {
      await stack.configure(changed, mode)
      const { exitCode, all } = await stack.start()
      assert.equal(exitCode, 1, all)
      assert.deepEqual(await stack.containers(), [], 'nothing was started')
      return all
    }

    test('is not started with an image that nobody signed, that another key signed, or whose signature is of another image', async () => {
      assert.match(await refusal(), /is not signed by cosign\.pub: nothing was started/)
      stack.sign('others')
      assert.match(await refusal(), /is not signed by cosign\.pub: nothing was started/)
      stack.sign('ours', `sha256:${'1'.repeat(64)}`)
      assert.match(await refusal(), /is not signed by cosign\.pub: nothing was started/)
      stack.unsign()
      const { all } = await stack.start(['--check'])
      assert.match(all, /is not signed/)
      await stack.weaken()
      assert.match(
        (await stack.start(['--check'], {}, 'weakened')).all,
        /The signature is good/,
        'a script that does not ask would start it',
      )
    })

    test('serves over TLS and nothing beside it, in containers that may do nothing else', async (t) => {
      stack.sign('ours')
      t.after(stack.down)
      await stack.clear()
      const rolledBack = rollingBack(stack)
      // What the shell has is not what was verified, and must not win.
      await follow('docs/how-to/compose.md', {
        directory: stack.room,
        env: stack.env({ GATEHOUSE_IMAGE: 'registry.invalid/evil:latest', GATEHOUSE_HOST: 'evil.invalid' }),
        places: placesOf(stack),
        before: async ({ text }) => {
          if (text === './start\n') assert.deepEqual(await stack.containers(), [], 'a check starts nothing')
          await rolledBack.before(text)
        },
      })
      await rolledBack.look()
      const [gatehouse = ''] = await stack.containers('gatehouse')
      const [caddy = ''] = await stack.containers('caddy')
      const ca = await waitFor('the authority of Caddy', 60_000, () => readFile(stack.authority, 'utf8'))
      const connect = {
        ca,
        lookup: (_host: string, _options: object, done: (e: null, a: { address: string; family: number }[]) => void) =>
          done(null, [{ address: stack.address, family: 4 }]),
      }
      const dispatcher = new Agent({ connect })
      t.after(() => dispatcher.close())
      const fetchInside: Fetch = (url, init) => fetchBy(url, { ...init, dispatcher })
      const token = (await readFile(join(stack.settings.GATEHOUSE_DATA, 'state/admin-token'), 'utf8')).trim()
      let client = createClient({ address: 'https://localhost', token, fetch: fetchInside })
      await waitFor('an answer over TLS', 60_000, () => client.status())
      const wish = { kind: 'agent_create', agentGroupID: 'clerk', after: { id: 'clerk', name: 'Clerk', agent: 'mock' } }
      const { id } = await client.changes.submit(wish)
      assert.equal((await client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
      const page = await fetchBy('https://localhost/ui/', { dispatcher })
      assert.equal(page.status, 200)
      assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=31536000/)

      await t.test('a client that does not know the authority turns away, and plain HTTP is sent to TLS', async () => {
        const stranger = new Agent({ connect: { ...connect, ca: [] } })
        await assert.rejects(fetchBy('https://localhost/readyz', { dispatcher: stranger }))
        await stranger.close()
        const plain = await fetch(`http://${stack.address}/v1/status`, { redirect: 'manual', headers: { host: 'localhost' } })
        assert.ok([301, 308].includes(plain.status))
        const direct = await fetchBy('https://localhost/v1/status', { dispatcher, headers: { authorization: 'Bearer wrong' } })
        assert.equal(direct.status, 401)
      })

      await t.test('the port of the API is nowhere but behind the proxy', async () => {
        const { HostConfig, NetworkSettings } = await inspect(gatehouse)
        assert.deepEqual(HostConfig['PortBindings'] ?? {}, {})
        assert.deepEqual(
          Object.values(NetworkSettings.Ports).filter((bound) => bound !== null),
          [],
        )
        assert.deepEqual(Object.keys(NetworkSettings.Networks), [`${stack.project}_inside`])
        await assert.rejects(fetch(`http://${stack.address}:8787/readyz`))
        const network = stack.settings.GATEHOUSE_SUBNET.replace(/\.\d+\/28$/, '.')
        const addresses = Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address))
        const inside = NetworkSettings.Networks[`${stack.project}_inside`]?.IPAddress ?? ''
        assert.ok(inside.startsWith(network))
        assert.deepEqual(
          addresses.filter((one) => one.startsWith(network)),
          [],
          'the host has no address in the network',
        )
        const ports = (await inspect(caddy)).NetworkSettings.Ports
        const published = Object.entries(ports).filter(([, bound]) => bound !== null)
        assert.deepEqual(published.map(([port]) => port).toSorted(), ['8080/tcp', '8443/tcp'])
      })

      await t.test('wrong tokens count against the address that the proxy saw, whatever the client says of it', async () => {
        const statuses: number[] = []
        for (let attempt = 1; attempt <= 12; attempt += 1) {
          const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': `203.0.113.${attempt}` }
          statuses.push((await fetchBy('https://localhost/v1/status', { dispatcher, headers })).status)
        }
        assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
        await client.status()
      })

      await t.test('every line of the hardening holds, from outside and from inside', async () => {
        for (const [container, memory, pids, added] of [
          [gatehouse, 768, 256, null],
          [caddy, 256, 128, ['NET_BIND_SERVICE']],
        ] as const) {
          const { Config, HostConfig } = await inspect(container)
          assert.equal(Config.User, '65532:65532')
          assert.match(Config.Image, /@sha256:[0-9a-f]{64}$/)
          const { ReadonlyRootfs, CapDrop, SecurityOpt, Privileged, PidsLimit, Memory, MemorySwap, NanoCpus, PidMode, IpcMode } = HostConfig
          const CapAdd = (HostConfig['CapAdd'] as string[] | null)?.map((one) => one.replace(/^CAP_/, '')) ?? null
          assert.deepEqual(
            { ReadonlyRootfs, CapDrop, CapAdd, SecurityOpt, Privileged, PidsLimit, Memory, MemorySwap, NanoCpus },
            {
              ReadonlyRootfs: true,
              CapDrop: ['ALL'],
              CapAdd: added,
              SecurityOpt: ['no-new-privileges:true'],
              Privileged: false,
              PidsLimit: pids,
              Memory: memory * 1024 * 1024,
              MemorySwap: memory * 1024 * 1024,
              NanoCpus: 1e9,
            },
          )
          assert.equal(PidMode, '')
          assert.notEqual(IpcMode, 'host')
          const binds = JSON.stringify([HostConfig['Binds'], HostConfig['Mounts']])
          assert.equal(/docker\.sock|containerd/.test(binds), false)
        }
        const expected = { bounding: '0000000000000000', effective: '0000000000000000', noNewPrivileges: '1', seccomp: '2' }
        const places = { root: 'EROFS', app: 'EROFS', bin: 'EROFS', state: 'written', run: 'written' }
        const found = (await postureOf(gatehouse)) as Record<string, unknown>
        for (const [key, value] of Object.entries({ ...expected, ...places, pids: '256', environ: ['EACCES'] }))
          assert.deepEqual(found[key], value, key)
        assert.deepEqual(
          (found['uid'] as string[]).concat(found['gid'] as string[]),
          Array.from({ length: 8 }, () => '65532'),
        )
        const { stdout } = await execa('docker', ['top', caddy, '-eo', 'pid,uid'])
        const proxy = stdout.split('\n')[1]?.trim().split(/\s+/)[0] ?? ''
        const status = await readFile(`/proc/${proxy}/status`, 'utf8')
        assert.match(status, /^CapEff:\s+0{16}$/m)
        assert.match(status, /^NoNewPrivs:\s+1$/m)
        assert.match(status, /^Uid:\s+65532\s+65532/m)
        assert.match((await linesOf(gatehouse)).join('\n'), /"sandbox":"off"/)
      })

      await t.test('gets another admin token by the lines of the page about tokens, and the one before opens nothing', async () => {
        const fresh = /shown this once: ([0-9a-f]{64})/.exec(await renew(stack, 'token reset-admin'))?.[1]
        const statusOf = async (given = '') => {
          const headers = { authorization: `Bearer ${given}` }
          return (await fetchBy('https://localhost/v1/status', { dispatcher, headers })).status
        }
        await waitFor('the new token to be taken', 60_000, async () => (await statusOf(fresh)) === 200)
        assert.equal(await statusOf(token), 401)
        client = createClient({ address: 'https://localhost', token: fresh ?? '', fetch: fetchInside })
      })

      if (!full) return
      await t.test('a second start changes nothing', async () => {
        const again = await stack.start()
        assert.equal(again.exitCode, 0, again.all)
        assert.deepEqual(await stack.containers('gatehouse'), [gatehouse])
        assert.equal((await client.changes.show(id)).state, 'applied')
      })

      await t.test('with the other network, as the page gives it, the unit has a way out and still no port', async () => {
        const shown = await readFile(join(root, 'docs/how-to/compose.md'), 'utf8')
        const file = join(stack.directory, 'compose.override.yaml')
        await writeFile(file, /^```yaml\n(.*?)^```$/ms.exec(shown)?.[1] ?? assert.fail('expected an override on the page'))
        const again = await stack.start()
        await rm(file)
        assert.equal(again.exitCode, 0, again.all)
        const { NetworkSettings } = await inspect((await stack.containers('gatehouse'))[0])
        assert.deepEqual(Object.keys(NetworkSettings.Networks).toSorted(), [`${stack.project}_inside`, `${stack.project}_outside`])
        assert.ok(Object.values(NetworkSettings.Ports).every((bound) => bound === null))
      })
    })

    test('is not started from settings that are open to others, not there, or not what they should be', async () => {
      assert.match(await refusal({}, 0o644), /expected mode 0600 on \.env, got 0644/)
      assert.match(await refusal({ GATEHOUSE_IMAGE: 'registry.example/gatehouse:v1' }), /expected GATEHOUSE_IMAGE .* an image by digest/)
      assert.match(await refusal({ CADDY_IMAGE: undefined }), /expected CADDY_IMAGE .* an image by digest/)
      assert.match(await refusal({ GATEHOUSE_HOST: '$(touch owned)' }), /expected GATEHOUSE_HOST in \.env to be a host name/)
      assert.match(await refusal({ GATEHOUSE_IMAGE_KEY: 'nowhere.pub' }), /expected the key that signs the images at nowhere\.pub/)
      assert.match(await refusal({ GATEHOUSE_IMAGE_LOG: 'maybe' }), /expected GATEHOUSE_IMAGE_LOG in \.env to be rekor or none/)
      await stack.configure({ GATEHOUSE_IMAGE: stack.settings.GATEHOUSE_IMAGE, GATEHOUSE_HOST: 'localhost\nGATEHOUSE_HOST=other' })
      assert.match((await stack.start()).all, /expected GATEHOUSE_HOST once in \.env, got it 2 times/)
      await stack.configure()
      const without = await stack.start([], { PATH: '/usr/bin:/bin' })
      assert.match(without.all, /expected the program cosign, got none/)
      assert.match(without.all, /go install/)
      assert.match((await stack.start(['--force'])).all, /expected no argument or --check, got --force/)
      assert.deepEqual(await stack.containers(), [])
    })
  })
}
