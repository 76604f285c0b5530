// Packages from a registry whose certificate a private authority signed, through a whole unit: whoever asks for them learns what is
// wrong and which setting trusts it.
// Profile: rest. Repeats packages of a session with another registry.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { removeState } from '../src/remove-state.ts'
import { freshDirectory, startUnit } from '../src/unit.ts'

const openRegistry = async (t: TestContext): Promise<{ registry: string; authority: string }> => {
  const directory = await freshDirectory()
  t.after(() => removeState(directory))
  const own = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost']
  const made = ['-keyout', 'key.pem', '-out', 'cert.pem', '-addext', 'subjectAltName=DNS:localhost']
  await execa('openssl', ['req', '-x509', ...own, ...made], { cwd: directory })
  const [key, cert] = await Promise.all(['key.pem', 'cert.pem'].map((name) => readFile(join(directory, name))))
  const server = createServer({ key, cert }, (_request, response) => response.writeHead(404).end('{}'))
  server.listen(0, 'localhost')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { registry: `https://localhost:${port}/`, authority: join(directory, 'cert.pem') }
}

const refusal = async (t: TestContext, env: Readonly<Record<string, string>>): Promise<string> => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off'], env })
  t.after(unit.dispose)
  try {
    await unit.client.changes.submit({ kind: 'packages', agentGroupID: 'dev-agent', after: { npm: ['is-odd@3.0.1'] } })
  } catch (error) {
    if (isServiceError(error)) return `${error.code} ${error.detail}`
    throw error
  }
  assert.fail('expected the change to be refused')
}

if (process.env['GATEHOUSE_PROFILE'] === 'full')
  test('a change for packages of a registry with a private authority is refused with the setting that trusts it', async (t) => {
    const { registry, authority } = await openRegistry(t)
    const untrusted = await refusal(t, { SERVICE_NPM_REGISTRY: registry })
    assert.match(untrusted, /^change-refused .*certificate of the registry localhost:\d+ is not trusted .*SERVICE_CA_FILE/)
    const trusted = await refusal(t, { SERVICE_NPM_REGISTRY: registry, SERVICE_CA_FILE: authority })
    assert.doesNotMatch(trusted, /certificate|SERVICE_CA_FILE/)
  })
