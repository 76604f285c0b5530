// SERVICE_SANDBOX_IMAGE: sandboxes of an image that its digest names, by each driver; a name that could move is refused.
// Profile: rest. A matrix of drivers over one setting.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { serveRegistry, signOnShelf } from '@gatehouse/images/registry'
import { buildSandbox } from '@gatehouse/images/trial'
import { execa } from 'execa'
import { allowTool, scriptOf } from '../src/changes.ts'
import { say } from '../src/chat.ts'
import { release, startUnit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { lacking } from './fixtures/container-world.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const token = 'i'.repeat(64)
const tag = `gatehouse-image-test-${randomBytes(4).toString('hex')}:1`
const mark = `made for ${tag}`
const needsRoot = process.getuid?.() === 0 ? false : 'needs root: for the host ids of groups and for limits'
const skip = (await lacking('docker')) || needsRoot

const ways: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['docker with runc', ['--dev', '--sandbox', 'container', '--sandbox-runtime', 'runc']],
  ...(full
    ? ([
        ['bubblewrap in production', ['--sandbox', 'bubblewrap']],
        ['oci with runc in production', ['--sandbox', 'oci', '--sandbox-runtime', 'runc', '--allow-old-engine']],
        ['oci with runsc in production', ['--sandbox', 'auto', '--allow-old-engine']],
      ] as const)
    : []),
]

describe('an image of sandboxes', { skip, timeout: 400_000 }, () => {
  let image = ''
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-image-'))
    try {
      await cp(join(release, 'rootfs'), directory, { recursive: true, verbatimSymlinks: true })
      await writeFile(join(directory, 'agent/mark.mjs'), mark)
      await execa('tar', ['-C', directory, '-cf', '-', '.'], { encoding: 'buffer', buffer: false }).pipe('docker', ['import', '-', tag])
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
    const { stdout } = await execa('docker', ['image', 'inspect', '--format', '{{.Id}}', tag])
    image = `${tag.split(':')[0]}@${stdout.trim()}`
  })
  after(() => execa('docker', ['image', 'rm', '--force', tag], { reject: false }))

  for (const [name, flags] of ways) {
    test(`that its digest names is what agents run in: ${name}`, async (t) => {
      const isOpen = flags.includes('--dev')
      const env = { SERVICE_SANDBOX_IMAGE: image, ...(isOpen ? {} : { SERVICE_API_TOKEN: token }) }
      const unit = await startUnit({ flags: [...flags, '--rate-limit', 'off'], env, ...(isOpen ? {} : { token }) })
      t.after(unit.dispose)
      const group = isOpen ? 'dev-agent' : 'clerk'
      if (!isOpen) {
        const wish = { id: group, name: 'Clerk', agent: 'mock' } as const
        const { id } = await unit.client.changes.submit({ kind: 'agent_create', agentGroupID: group, after: wish })
        await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
      }
      await waitFor('a driver', 90_000, async () => {
        const { sandbox } = await unit.client.status()
        return sandbox.status === 'ok' ? true : undefined
      }).catch(async (error: unknown) => {
        throw new Error(JSON.stringify((await unit.client.status()).sandbox), { cause: error })
      })
      await allowTool(unit, 'run_script', group)
      const look = scriptOf(`console.log((await import('node:fs')).readFileSync('/agent/mark.mjs', 'utf8'))`)
      assert.deepEqual(JSON.parse(await say(unit, look, group)), { stdout: `${mark}\n`, stderr: '', exitCode: 0 })
    })
  }

  test('that a tag names is refused outside --dev, and nothing starts', async (t) => {
    const env = { SERVICE_SANDBOX_IMAGE: tag, SERVICE_API_TOKEN: token }
    const unit = await startUnit({ flags: ['--sandbox', 'container'], env, token, untilReady: false })
    t.after(unit.dispose)
    assert.notEqual((await unit.exited).code, 0)
    assert.match(unit.lines.join('\n'), /SERVICE_SANDBOX_IMAGE: expected a digest/)
  })

  test('that is not there refuses launches, and says which', async (t) => {
    const missing = `gatehouse-nowhere.invalid/none@sha256:${'0'.repeat(64)}`
    const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap'], env: { SERVICE_SANDBOX_IMAGE: missing } })
    t.after(unit.dispose)
    const { sandbox } = await waitFor('a refusal', 90_000, async () => {
      const status = await unit.client.status()
      return status.sandbox.reason?.includes('gatehouse-nowhere') === true ? status : undefined
    })
    assert.equal(sandbox.status, 'refused')
  })
})

/** Real cosign takes minutes to build, so that only a machine that has it signs with it. */
const cosign = full && !(await execa('cosign', ['version'], { reject: false })).failed

describe('an image of sandboxes with a key', { skip, timeout: 400_000 }, () => {
  let room = ''
  let registry: Awaited<ReturnType<typeof serveRegistry>>
  let image = ''
  const name = (): string => image.slice(0, image.indexOf('@'))
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  before(async () => {
    room = await mkdtemp(join(tmpdir(), 'gatehouse-signed-'))
    registry = await serveRegistry()
    image = `${registry.address}/sandbox@${await registry.add(await buildSandbox(join(room, 'layout')))}`
    await writeFile(join(room, 'cosign.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  })
  after(async () => {
    await execa('docker', ['image', 'rm', '--force', image], { reject: false })
    await registry.close()
    await rm(room, { recursive: true, force: true })
  })

  const start = (key: string) =>
    startUnit({
      flags: ['--dev', '--sandbox', 'container', '--sandbox-runtime', 'runc', '--rate-limit', 'off'],
      env: { SERVICE_SANDBOX_IMAGE: image, SERVICE_IMAGE_KEY: join(room, key) },
    })

  const isHere = async (): Promise<boolean> => !(await execa('docker', ['image', 'inspect', image], { reject: false })).failed

  test('that nobody signed is neither fetched nor started, and the unit says why', async (t) => {
    const unit = await start('cosign.pub')
    t.after(unit.dispose)
    const { sandbox } = await waitFor('a refusal', 90_000, async () => {
      const status = await unit.client.status()
      return status.sandbox.reason?.includes('SERVICE_IMAGE_KEY') === true ? status : undefined
    })
    assert.equal(sandbox.status, 'refused')
    assert.match(sandbox.reason ?? '', /expected a signature of .* by the key of SERVICE_IMAGE_KEY, got none/)
    assert.equal(await isHere(), false)
  })

  const signers: readonly (readonly [string, string, () => Promise<void>])[] = [
    [
      'the key',
      'cosign.pub',
      async () => signOnShelf(registry.shelf, { name: name(), digest: image.slice(image.indexOf('@') + 1), key: privateKey }),
    ],
    ...(cosign
      ? ([
          [
            'the real cosign',
            'real.pub',
            async () => {
              const env = { COSIGN_PASSWORD: '', HOME: room }
              await execa('cosign', ['generate-key-pair', '--output-key-prefix', 'real'], { cwd: room, env })
              await execa('cosign', ['sign', '--key', 'real.key', '--tlog-upload=false', '--yes', image], { cwd: room, env })
            },
          ],
        ] as const)
      : []),
  ]
  for (const [signer, key, sign] of signers) {
    test(`that ${signer} signed is what agents run in`, async (t) => {
      await sign()
      const unit = await start(key)
      t.after(unit.dispose)
      assert.equal(await say(unit, 'hello'), 'echo: hello')
      assert.equal(await isHere(), true)
    })
  }
})
