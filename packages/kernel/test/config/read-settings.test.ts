// Precedence of flags, variables and defaults, and the messages for invalid settings.
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

test('without input every setting has its default', () => {
  const { values, origins, warnings } = read([])
  assert.deepEqual(values, { addr: '127.0.0.1:8787', catalog: undefined, dev: false, sandbox: 'auto', token: undefined })
  assert.equal(origins.addr, 'default')
  assert.deepEqual(warnings, [])
  const choice: 'auto' | 'none' = values.sandbox
  assert.equal(choice, 'auto')
})

test('a flag overrides a variable, and a variable overrides a default', () => {
  const env = { SERVICE_API_ADDR: '127.0.0.1:1', SERVICE_DEV: '1', SERVICE_SANDBOX: 'none', HOME: '/root' }
  assert.deepEqual(read([], env).values, { addr: '127.0.0.1:1', catalog: undefined, dev: true, sandbox: 'none', token: undefined })
  const { values, origins } = read(['--addr', '127.0.0.1:2', '--sandbox=auto', '--no-dev'], env)
  assert.deepEqual([values.addr, values.sandbox, values.dev], ['127.0.0.1:2', 'auto', false])
  assert.deepEqual([origins.addr, origins.sandbox, origins.catalog], ['flag', 'flag', 'default'])
})

test('an empty variable counts as unset', () => {
  assert.equal(read([], { SERVICE_API_ADDR: '', SERVICE_DEV: '' }).values.addr, '127.0.0.1:8787')
})

test('an unknown flag is refused with a list of the known ones', () => {
  refused(() => read(['--adr', 'x']), /unknown flag --adr/)
  refused(() => read(['-a']), /unknown flag -a/)
  refused(() => read(['--no-addr']), /unknown flag --no-addr/)
  refused(() => read(['--token', 'x']), /unknown flag --token/)
  refused(() => read(['--constructor']), /unknown flag --constructor/)
  refused(() => read(['serve']), /only flags are accepted/)
  refused(() => read(['--', '--dev']), /only flags are accepted/)
})

test('a missing value is refused, and so is a value for a boolean flag', () => {
  refused(() => read(['--addr']), /--addr needs a value/)
  refused(() => read(['--addr=']), /--addr needs a value/)
  refused(() => read(['--addr', '--dev']), /--addr needs a value/)
  refused(() => read(['--dev=1']), /--dev takes no value/)
})

test('a value outside of the choices is refused', () => {
  refused(() => read(['--sandbox', 'jail']), /expected --sandbox to be one of auto, none, got "jail"/)
  refused(() => read([], { SERVICE_SANDBOX: 'jail' }), /expected SERVICE_SANDBOX to be one of auto, none/)
  refused(() => read([], { SERVICE_DEV: 'maybe' }), /expected SERVICE_DEV to be 1 or 0, got "maybe"/)
})

test('an unknown variable with the prefix is refused, and those of other programs are ignored', () => {
  refused(() => read([], { SERVICE_SANBOX: 'none' }), /unknown environment variables: SERVICE_SANBOX/)
  refused(() => read([], { SERVICE_API_ADDR_FILE: '/x' }), /SERVICE_API_ADDR_FILE/)
  read([], { SERVICE_API_URL: 'http://localhost' })
})

test('a secret is read from its variable or from the file named by its _FILE variable', async (context) => {
  const path = join(await scratch(context), 'token')
  await writeFile(path, 'from-file\n', { mode: 0o600 })
  for (const end of ['', '\n', '\r\n']) assert.equal(read([], { SERVICE_API_TOKEN: `from-env${end}` }).values.token, 'from-env')
  const { values, origins, warnings } = read([], { SERVICE_API_TOKEN_FILE: path })
  assert.deepEqual([values.token, origins.token, warnings], ['from-file', 'file', []])
  refused(() => read([], { SERVICE_API_TOKEN: 'from-env', SERVICE_API_TOKEN_FILE: path }), /got both/)
  refused(() => read([], { SERVICE_API_TOKEN_FILE: `${path}.not` }), /can be read, got .*ENOENT/)
})

test('a secret file that others may read gives a warning with the chmod command', async (context) => {
  const path = join(await scratch(context), 'token')
  await writeFile(path, 'x')
  await chmod(path, 0o644)
  const { warnings } = read([], { SERVICE_API_TOKEN_FILE: path })
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /got 0644; run: chmod 0600/)
})
