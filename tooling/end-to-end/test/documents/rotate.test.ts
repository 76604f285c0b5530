// The how-to about keys and tokens, followed word for word: after each section the old secret opens nothing, and the new one does.
// Profile: rest. Follows a long page on whole units; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@gatehouse/client'
import { follow } from '../../src/documents/follow.ts'
import { startUnit } from '../../src/unit.ts'
import { startGuardedSample } from '../fixtures/guarded-sample.ts'
import { production } from '../fixtures/production.ts'
import { openProviderHosts, type ProviderHosts } from '../fixtures/provider-hosts.ts'

const secret = (): string => randomBytes(24).toString('hex')

let hosts: ProviderHosts
let server: Awaited<ReturnType<typeof startGuardedSample>>
const search = { old: secret(), fresh: secret() }
const anthropic = { old: secret(), fresh: secret() }
let good = anthropic.old

before(async () => {
  hosts = await openProviderHosts('say fine', (key) => key === good)
  server = await startGuardedSample(search.old)
})
after(async () => {
  await server?.stop()
  await hosts?.close()
})

test('each secret is replaced by the commands of the page, and the one before opens nothing any more', async (t) => {
  const { base, stateDir, places, env } = await production(t)
  const catalog = join(base, 'mcp-catalog.json')
  const files = {
    'search.token': search.old,
    'new-search.token': search.fresh,
    'anthropic.key': anthropic.old,
    'new-anthropic.key': anthropic.fresh,
  }
  for (const [name, value] of Object.entries(files)) await writeFile(join(base, name), value, { mode: 0o600 })

  // What was there before: a token for CI, an entry with a reference, and a key ring.
  const unit = await startUnit({ stateDir, flags: ['--sandbox', 'off', '--mcp-catalog', catalog] })
  const token = (await readFile(join(stateDir, 'admin-token'), 'utf8')).trim()
  const admin = createClient({ address: unit.address, token })
  const { token: ci } = await admin.tokens.create({ name: 'ci', role: 'requester' })
  await admin.servers.put('search', { transport: 'http', url: server.url, headers: { Authorization: 'Bearer ${SEARCH_TOKEN}' } })
  await unit.stop()
  const ring = await readFile(join(stateDir, 'keyring.json'), 'utf8')

  const { SERVICE_HTTPS_PROXY = '', SERVICE_CA_FILE = '' } = hosts.env
  const reach = { SERVICE_HTTPS_PROXY, SERVICE_CA_FILE }
  await follow(
    'docs/how-to/rotate.md',
    {
      directory: base,
      places,
      env: { ...env, ...reach },
      notRun: {
        './start': 'it wants a stack; what is typed there is typed in the test of the stack',
        'kubectl ': 'it wants a cluster; that kubectl takes these lines is tried with the page about Kubernetes',
      },
      before: ({ text }) => {
        if (text.includes('svcctl model check')) good = anthropic.fresh
        if (text.includes('svcctl mcp probe')) server.takeOnly(search.fresh)
        return Promise.resolve()
      },
    },
    async (address) => {
      const status = (with_: string) => createClient({ address, token: with_ }).status()
      await assert.rejects(status(token), /unauthorized|token/i)
      await assert.rejects(status(ci), /unauthorized|token/i)
      await status((await readFile(join(stateDir, 'admin-token'), 'utf8')).trim())
      await status((await readFile(join(base, 'ci-2.token'), 'utf8')).trim())
      assert.notEqual(await readFile(join(stateDir, 'keyring.json'), 'utf8'), ring)
    },
  )
})
