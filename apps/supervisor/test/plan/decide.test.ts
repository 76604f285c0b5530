// What a start is asked for becomes one plan, or a refusal that says what to do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoToken, exits } from '@gatehouse/contracts'
import { isRefusal } from '@gatehouse/kernel'
import { decidePlan } from '../../src/plan/decide.ts'

const home = { HOME: '/home/somebody' }
const token = 'a'.repeat(64)
const plan = (argv: string[], env: Record<string, string> = {}) => decidePlan(argv, { ...home, ...env }, '1.2.3').plan

const refused = (argv: string[], env: Record<string, string> = {}): { exit: number; text: string } => {
  try {
    plan(argv, env)
  } catch (error) {
    if (isRefusal(error)) return { exit: error.exit, text: `${error.detail} ${error.hint ?? ''}` }
    throw error
  }
  throw new Error('expected a refusal, got a plan')
}

test('a production unit listens on loopback, keeps its state below /var/lib and has no tool servers', () => {
  const { mode, host, port, stateDir, catalog, sandbox, open, seed } = plan([])
  assert.deepEqual(
    { mode, host, port, stateDir, catalog, sandbox, open, seed },
    {
      mode: 'production',
      host: '127.0.0.1',
      port: 8787,
      stateDir: '/var/lib/gatehouse/state',
      catalog: null,
      sandbox: 'auto',
      open: false,
      seed: null,
    },
  )
})

test('--dev opens the unit, seeds dev-agent and puts a catalog into the state directory', () => {
  const { mode, open, seed, stateDir, catalog, isolation } = plan(['--dev'])
  assert.deepEqual(
    { mode, open, seed, stateDir, catalog, isolation },
    {
      mode: 'dev',
      open: true,
      seed: 'dev-agent',
      stateDir: '/home/somebody/.local/state/gatehouse-dev',
      catalog: '/home/somebody/.local/state/gatehouse-dev/mcp-catalog.json',
      isolation: 'none',
    },
  )
})

test('SERVICE_DEV=1 is --dev, and a token that is set is required there', () => {
  assert.equal(plan([], { SERVICE_DEV: '1' }).mode, 'dev')
  assert.equal(plan(['--dev'], { SERVICE_API_TOKEN: token }).open, false)
})

test('--demo takes a container engine, mock-agent and no tool servers', () => {
  const { mode, sandbox, seed, catalog, open } = plan(['--demo'])
  assert.deepEqual(
    { mode, sandbox, seed, catalog, open },
    { mode: 'demo', sandbox: 'container', seed: 'mock-agent', catalog: null, open: false },
  )
})

test('a flag is stronger than its variable', () => {
  assert.equal(plan(['--addr', '127.0.0.1:1111'], { SERVICE_API_ADDR: '0.0.0.0:2222' }).port, 1111)
  assert.equal(plan([], { SERVICE_API_ADDR: '0.0.0.0:2222' }).host, '0.0.0.0')
})

const configuration: readonly (readonly [string, string[], Record<string, string>, RegExp])[] = [
  ['--dev on a public address', ['--dev', '--addr', '0.0.0.0:8787'], {}, /loopback/],
  ['--demo on a public address', ['--demo'], { SERVICE_API_ADDR: '192.0.2.1:80' }, /loopback/],
  ['--dev together with --demo', ['--dev', '--demo'], {}, /both/],
  ['an address without a port', ['--addr', 'localhost'], {}, /HOST:PORT/],
  ['a port beyond the last', ['--addr', ':70000'], {}, /HOST:PORT/],
  ['an unknown flag', ['--frobnicate'], {}, /--frobnicate/],
  ['an unknown driver', ['--sandbox', 'chroot'], {}, /chroot/],
  ['driver none in production', ['--sandbox', 'none'], {}, /outside --dev/],
  ['a token that is short', [], { SERVICE_API_TOKEN: 'short' }, /32 characters/],
  ['the demo token outside --demo', [], { SERVICE_API_TOKEN: demoToken }, /well-known/],
  ['isolation container', ['--dev', '--mcp-isolation', 'container'], {}, /containers/],
  ['a production catalog with the default isolation', ['--mcp-catalog', '/etc/c.json'], {}, /the default/],
  ['a rate that is none', ['--rate-limit', 'fast'], {}, /PER-SECOND:BURST/],
  ['a public URL that is none', [], { SERVICE_PUBLIC_URL: 'gatehouse.example' }, /SERVICE_PUBLIC_URL/],
  ['certificates that are not checked', [], { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /certificates/],
  ['a flag whose time has not come', ['--approvals', '2'], {}, /--approvals/],
  ['its variable', [], { SERVICE_APPROVALS: '2' }, /SERVICE_APPROVALS/],
  ['a variable whose time has not come', [], { SERVICE_SANDBOX_IMAGE: 'x' }, /SERVICE_SANDBOX_IMAGE/],
  ['a variable that nobody knows', [], { SERVICE_FROBNICATE: '1' }, /SERVICE_FROBNICATE/],
]
for (const [what, argv, env, says] of configuration) {
  test(`refuses ${what} with exit 78`, () => {
    const { exit, text } = refused(argv, env)
    assert.equal(exit, exits.configuration)
    assert.match(text, says)
  })
}

test('a catalog may reference host variables, but never those of the unit, of a provider or of the loader', () => {
  const { variables } = plan([], {
    MY_TOKEN: 'x',
    OTHER: 'y',
    SERVICE_API_TOKEN: token,
    ANTHROPIC_API_KEY: 'k',
    NODE_OPTIONS: 'n',
    LD_PRELOAD: 'l',
    PATH: '/bin',
  })
  assert.deepEqual(variables, { MY_TOKEN: 'x', OTHER: 'y' })
})

test('SERVICE_MCP_ENV narrows the variables to its globs', () => {
  assert.deepEqual(plan([], { MY_TOKEN: 'x', OTHER: 'y', SERVICE_MCP_ENV: 'MY_*' }).variables, { MY_TOKEN: 'x' })
})
