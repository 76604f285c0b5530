// Flags, variables and defaults: who wins, and what is refused with which words.
import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings, Refusal, type SettingsInput } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const table = {
  addr: { flag: 'addr', env: 'SERVICE_API_ADDR', type: 'string', default: '127.0.0.1:8787' },
  catalog: { flag: 'mcp-catalog', env: 'SERVICE_MCP_CATALOG', type: 'string' },
  dev: { flag: 'dev', env: 'SERVICE_DEV', type: 'boolean' },
  sandbox: { flag: 'sandbox', env: 'SERVICE_SANDBOX', type: 'choice', choices: ['auto', 'none'], default: 'auto' },
  token: { env: 'SERVICE_API_TOKEN', type: 'string', secret: true },
} as const

const read = (argv: string[], env: SettingsInput['env'] = {}) =>
  readSettings(table, { argv, env, prefix: 'SERVICE_', foreign: ['SERVICE_API_URL'] })

const refused = (act: () => unknown, detail: RegExp): void => {
  assert.throws(act, (error) => {
    assert.ok(error instanceof Refusal)
    assert.equal(error.exit, 78)
    assert.match(error.detail, detail)
    assert.ok(error.hint)
    return true
  })
}

test('gives the defaults when nothing is said', () => {
  const { values, origins, warnings } = read([])
  assert.deepEqual(values, { addr: '127.0.0.1:8787', catalog: undefined, dev: false, sandbox: 'auto', token: undefined })
  assert.equal(origins.addr, 'default')
  assert.deepEqual(warnings, [])
  const choice: 'auto' | 'none' = values.sandbox
  assert.equal(choice, 'auto')
})

test('takes a flag before a variable and a variable before a default', () => {
  const env = { SERVICE_API_ADDR: '127.0.0.1:1', SERVICE_DEV: '1', SERVICE_SANDBOX: 'none', HOME: '/root' }
  assert.deepEqual(read([], env).values, { addr: '127.0.0.1:1', catalog: undefined, dev: true, sandbox: 'none', token: undefined })
  const { values, origins } = read(['--addr', '127.0.0.1:2', '--sandbox=auto', '--no-dev'], env)
  assert.deepEqual([values.addr, values.sandbox, values.dev], ['127.0.0.1:2', 'auto', false])
  assert.deepEqual([origins.addr, origins.sandbox, origins.catalog], ['flag', 'flag', 'default'])
})

test('takes an empty variable for one that is not set', () => {
  assert.equal(read([], { SERVICE_API_ADDR: '', SERVICE_DEV: '' }).values.addr, '127.0.0.1:8787')
})

test('refuses flags that do not exist and names those that do', () => {
  refused(() => read(['--adr', 'x']), /expected a flag that exists, got --adr/)
  refused(() => read(['-a']), /got -a/)
  refused(() => read(['--no-addr']), /got --no-addr/)
  refused(() => read(['--token', 'x']), /got --token/)
  refused(() => read(['--constructor']), /got --constructor/)
  refused(() => read(['serve']), /expected flags alone/)
  refused(() => read(['--', '--dev']), /expected flags alone/)
})

test('refuses a flag without its value and a value for a flag that takes none', () => {
  refused(() => read(['--addr']), /expected a value after --addr, got none/)
  refused(() => read(['--addr=']), /expected a value after --addr/)
  refused(() => read(['--addr', '--dev']), /expected a value after --addr/)
  refused(() => read(['--dev=1']), /expected --dev without a value/)
})

test('refuses a value that is no choice', () => {
  refused(() => read(['--sandbox', 'jail']), /expected --sandbox to be one of auto, none, got "jail"/)
  refused(() => read([], { SERVICE_SANDBOX: 'jail' }), /expected SERVICE_SANDBOX to be one of auto, none/)
  refused(() => read([], { SERVICE_DEV: 'maybe' }), /expected SERVICE_DEV to be 1 or 0, got "maybe"/)
})

test('refuses a variable of the prefix that means nothing, and leaves those of others', () => {
  refused(() => read([], { SERVICE_SANBOX: 'none' }), /expected variables that have a meaning, got SERVICE_SANBOX/)
  refused(() => read([], { SERVICE_API_ADDR_FILE: '/x' }), /SERVICE_API_ADDR_FILE/)
  read([], { SERVICE_API_URL: 'http://localhost' })
})

test('reads a secret from its variable or from the file that its twin names', async (context) => {
  const path = join(await scratch(context), 'token')
  await writeFile(path, 'from-file\n', { mode: 0o600 })
  for (const end of ['', '\n', '\r\n']) assert.equal(read([], { SERVICE_API_TOKEN: `from-env${end}` }).values.token, 'from-env')
  const { values, origins, warnings } = read([], { SERVICE_API_TOKEN_FILE: path })
  assert.deepEqual([values.token, origins.token, warnings], ['from-file', 'file', []])
  refused(() => read([], { SERVICE_API_TOKEN: 'from-env', SERVICE_API_TOKEN_FILE: path }), /got both/)
  refused(() => read([], { SERVICE_API_TOKEN_FILE: `${path}.not` }), /can be read, got .*ENOENT/)
})

test('warns of a secret file that others may read, with the chmod', async (context) => {
  const path = join(await scratch(context), 'token')
  await writeFile(path, 'x')
  await chmod(path, 0o644)
  const { warnings } = read([], { SERVICE_API_TOKEN_FILE: path })
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /got 0644; run: chmod 0600/)
})
