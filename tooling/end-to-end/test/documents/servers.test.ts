// How-tos that give an agent tools and a model, followed word for word: a remote server, a server from npm, a real model.
// Profile: rest. Follows long pages on whole units; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { execa } from 'execa'
import { follow } from '../../src/documents/follow.ts'
import { freePort, freshDirectory, release } from '../../src/unit.ts'
import { lacking } from '../fixtures/container-world.ts'
import { startGuardedSample } from '../fixtures/guarded-sample.ts'
import { startProtectedSample } from '../fixtures/protected-sample.ts'
import { openProviderHosts } from '../fixtures/provider-hosts.ts'
import { registryReach } from '../fixtures/registry-reach.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

const secret = randomBytes(24).toString('hex')

const directoryWith = async (file: string): Promise<string> => {
  const directory = await freshDirectory()
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, file), secret, { mode: 0o600 })
  return directory
}

test('a remote server is added, granted and called, and only with the header; so is the sample over HTTP', async (t) => {
  const server = await startGuardedSample(secret)
  const port = await freePort()
  const directory = await directoryWith('search.token')
  t.after(async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })
  await follow('docs/how-to/remote-server.md', {
    directory,
    places: {
      'https://mcp.example.org/mcp': server.url,
      'dist/mcp-sample.mjs': join(release, 'mcp-sample.mjs'),
      '127.0.0.1:3001': `127.0.0.1:${port}`,
    },
    listens: { sample: port },
  })
})

test('a server that wants OAuth is logged in at by a browser, granted, called and logged out of', async (t) => {
  const server = await startProtectedSample()
  t.after(() => server.stop())
  const browser = join(import.meta.dirname, '../fixtures/browser.mjs')
  await follow('docs/how-to/oauth-server.md', {
    already: 'gatehouse --dev',
    places: {
      'https://mcp.example.org/mcp': server.url,
      'svcctl mcp login tracker': `svcctl mcp login tracker 2>&1 | node ${browser}`,
    },
  })
  assert.equal(server.authority.revoked.length, 2)
})

test('the servers of a client are imported, submitted and approved, with the secret in the environment only', async (t) => {
  const server = await startGuardedSample(secret)
  const directory = await directoryWith('far.token')
  t.after(async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const far = { type: 'http', url: server.url, headers: { Authorization: `Bearer ${secret}` } }
  await writeFile(join(directory, 'mcp.json'), JSON.stringify({ mcpServers: { far } }))
  await follow('docs/how-to/import-servers.md', { directory })
  assert.doesNotMatch(await readFile(join(directory, 'entries/far.json'), 'utf8'), new RegExp(secret))
})

test('an agent that thinks gets a key that it never sees, a limit, and a tool', async (t) => {
  const hosts = await openProviderHosts(
    ['when can you do', 'say I can help.', 'when 19 and 23', 'call sample__add {"a":19,"b":23}', '---', 'say It is {result}.'].join('\n'),
  )
  const directory = await directoryWith('anthropic.key')
  t.after(async () => {
    await hosts.close()
    await rm(directory, { recursive: true, force: true })
  })
  const { SERVICE_HTTPS_PROXY = '', SERVICE_CA_FILE = '' } = hosts.env
  await follow('docs/how-to/real-model.md', { directory, env: { SERVICE_HTTPS_PROXY, SERVICE_CA_FILE } })
})

/** What the reader's client does when it is asked to echo something: it reads its own file, and calls the tool. */
const callAsConfigured = async (home: string): Promise<void> => {
  const configured = JSON.parse(await readFile(join(home, '.claude.json'), 'utf8')) as {
    mcpServers: { gatehouse: { url: string; headers: Record<string, string> } }
  }
  const { url, headers } = configured.mcpServers.gatehouse
  const client = new Client({ name: 'reader', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  try {
    const { content } = await client.callTool({ name: 'sample__echo', arguments: { text: 'hello' } })
    assert.deepEqual(content, [{ type: 'text', text: 'hello' }])
  } finally {
    await client.close()
  }
}

test('a client outside of a sandbox is configured, granted a tool and cut off', async (t) => {
  const home = await freshDirectory()
  t.after(() => rm(home, { recursive: true, force: true }))
  await follow('docs/how-to/mcp-client.md', {
    env: { HOME: home },
    before: async (step) => {
      if (step.text.includes('audit calls')) await callAsConfigured(home)
    },
  })
})

const page = 'docs/how-to/server-from-npm.md'
const skip = await lacking('docker')

/** Images that a page leaves on this host, by the entry that it saved. */
const dropPacked = async (directory: string): Promise<void> => {
  const { image } = JSON.parse(await readFile(join(directory, 'entry.json'), 'utf8')) as { image: string }
  await execa('docker', ['image', 'rm', '--force', image], { reject: false })
}

// In the fast profile packing is shown by a test of its own, from a registry of its own.
if (isFull)
  test('a server is packed from npm, added, granted and called', { skip, timeout: 600_000 }, async (t) => {
    const directory = await freshDirectory()
    t.after(async () => {
      await dropPacked(directory)
      await rm(directory, { recursive: true, force: true })
    })
    await follow(page, { directory, env: { ...registryReach, SERVICE_MCP_ENGINE: 'docker' } })
  })
