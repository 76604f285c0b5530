// Servers that are published on PyPI, packed into images and called in a container without a network; and those that are refused.
// Profile: rest. Packs published packages; the parts are tested in packages/python-tree and apps/svcctl.
import assert from 'node:assert/strict'
import { chown, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { LocalEntry } from '@gatehouse/contracts'
import { execa } from 'execa'
import { say } from '../src/chat.ts'
import { type Ran, runSvcctl } from '../src/svcctl.ts'
import { openTools, type ToolsSocket } from '../src/tools-socket.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { lacking } from './fixtures/container-world.ts'
import { archiveHostPython, type HostPython } from './fixtures/python-archive.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const hasUv = !(await execa('uv', ['--version'], { reject: false })).failed
const skip = (await lacking('docker')) || (hasUv ? false : 'needs uv: pip install uv')

const allowed = /^(?:PATH|UV_|PIP_|SSL_CERT_|HTTPS?_PROXY|NO_PROXY)/i
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && allowed.test(name) ? [[name, value]] : [])),
)

const svcctl = (...args: readonly string[]): Promise<Ran> => runSvcctl(args, { address: 'http://127.0.0.1:9', home: tmpdir(), env })

/** Each of these asks PyPI. */
if (isFull)
  describe('a server packed from PyPI', { skip, timeout: 1_800_000 }, () => {
    let directory: string
    let repository: string
    let python: HostPython
    let unit: Unit
    const images: string[] = []

    before(async () => {
      directory = await freshDirectory()
      await mkdir(directory, { recursive: true })
      python = await archiveHostPython(directory)
      repository = join(directory, 'repository')
      await execa('git', ['init', '--quiet', repository])
      await execa('git', [
        '-C',
        repository,
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        'commit',
        '--quiet',
        '--allow-empty',
        '-m',
        'the first commit',
      ])
      await execa('chown', ['-R', '65532:65532', repository])
      await chown(repository, 65532, 65532)
      const flags = ['--dev', '--sandbox', 'none', '--mcp-isolation', 'container', '--mcp-engine', 'docker']
      unit = await startUnit({ flags, env: { SERVICE_MOUNT_ALLOW: repository } })
      await say(unit, 'hello')
    })
    after(async () => {
      await unit?.dispose()
      for (const image of images) await execa('docker', ['image', 'rm', '--force', image], { reject: false })
      await rm(directory, { recursive: true, force: true })
    })

    const pack = (spec: string, ...args: readonly string[]): Promise<Ran> =>
      svcctl('mcp', 'pack', spec, '--json', '--engine', 'docker', '--python', python.file, '--python-sha256', python.sha256, ...args)

    const useAll = async (name: string, spec: string, ...args: readonly string[]): Promise<ToolsSocket> => {
      const { code, stdout, stderr } = await pack(spec, ...args)
      assert.equal(code, 0, stderr)
      const { entry } = JSON.parse(stdout) as { entry: LocalEntry }
      if (entry.image !== undefined) images.push(entry.image)
      await unit.client.servers.put(name, entry)
      assert.ok((await unit.client.servers.probe(name)).tools.length > 0)
      const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server: name, tools: [] } })
      await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
      return openTools(unit)
    }
    const textOf = async (call: ReturnType<ToolsSocket['call']>): Promise<string> => JSON.stringify((await call).body)

    test('mcp-server-time tells the time', async () => {
      const tools = await useAll('time', 'pypi:mcp-server-time@2026.10.19', '--arg=--local-timezone', '--arg', 'Europe/Berlin')
      assert.match(await textOf(tools.call('time__get_current_time', { timezone: 'Europe/Berlin' })), /Europe\/Berlin/)
      tools.close()
    })

    test('mcp-server-git reads a repository, by a git that was added to its image', async () => {
      const line = `uvx mcp-server-git@2026.10.19 --repository /repository`
      const tools = await useAll('git', line, '--program', '/usr/bin/git', '--volume', `${repository}:/repository`)
      assert.match(await textOf(tools.call('git__git_log', { repo_path: '/repository' })), /the first commit/)
      tools.close()
    })

    test('mcp-server-fetch starts, and reaches nothing', async () => {
      const tools = await useAll('fetch', 'pypi:mcp-server-fetch@2026.10.24')
      const { body } = await tools.call('fetch__fetch', { url: 'https://example.org' })
      assert.ok(body.isError === true || body.error !== undefined, JSON.stringify(body))
      tools.close()
    })

    test('what cannot be packed is refused with the reason', async () => {
      for (const [spec, words] of [
        ['pypi:pyspark@3.5.0', /no usable wheels.*building a source distribution would run its code/s],
        ['pypi:pywin32@308', /platform tag.*no wheel for this machine/s],
        ['pypi:mcp-server-time@0.0.1', /no version of mcp-server-time==0\.0\.1/],
        ['pypi:mcp-server-time', /expected an exact version.*pypi:mcp-server-time@\d/s],
      ] as const) {
        const { code, stdout, stderr } = await pack(spec)
        assert.equal(code, 2, spec)
        assert.match(stdout + stderr, words)
      }
    })

    test('an archive of Python that is not the pinned one is refused', async () => {
      const args = ['mcp', 'pack', 'pypi:mcp-server-time@2026.10.19', '--python', python.file] as const
      const { code, stderr } = await svcctl(...args)
      assert.equal(code, 2)
      assert.match(stderr, /Hash mismatch/i)
    })
  })
