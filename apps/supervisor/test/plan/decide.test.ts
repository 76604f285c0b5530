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

test('local tool servers run in containers, but in --dev, and as it was said', () => {
  assert.equal(plan(['--mcp-catalog', '/etc/c.json']).isolation, 'container')
  assert.equal(plan(['--demo', '--mcp-catalog', '/etc/c.json']).isolation, 'container')
  assert.equal(plan(['--dev', '--mcp-isolation', 'container']).isolation, 'container')
  assert.deepEqual(plan([]).toolContainers, { engine: null, runtime: null, image: null })
  const named = ['--mcp-engine', 'podman', '--mcp-runtime', 'runsc', '--mcp-image', 'tools@sha256:0']
  assert.deepEqual(plan(['--mcp-catalog', '/etc/c.json', ...named]).toolContainers, {
    engine: 'podman',
    runtime: 'runsc',
    image: 'tools@sha256:0',
  })
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
  ['driver none in production', ['--sandbox', 'none'], {}, /only allowed with --dev/],
  ['a token that is short', [], { SERVICE_API_TOKEN: 'short' }, /32 characters/],
  ['a token that no request could carry', [], { SERVICE_API_TOKEN: `${'a'.repeat(40)}\n\n` }, /white space/],
  ['the demo token outside --demo', [], { SERVICE_API_TOKEN: demoToken }, /well-known/],
  ['an image that is a flag', ['--mcp-image', '--privileged'], {}, /--mcp-image/],
  ['an image that is a flag, by its variable', [], { SERVICE_MCP_IMAGE: '-v/:/host' }, /--mcp-image.*begin with -/],
  ['a runtime that is a flag', [], { SERVICE_MCP_RUNTIME: '--privileged' }, /--mcp-runtime/],
  ['an engine that nobody knows', ['--mcp-engine', 'lxc'], {}, /docker, podman, nerdctl/],
  ['a rate that is none', ['--rate-limit', 'fast'], {}, /PER-SECOND:BURST/],
  ['a public URL that is none', [], { SERVICE_PUBLIC_URL: 'gatehouse.example' }, /SERVICE_PUBLIC_URL/],
  ['certificates that are not checked', [], { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /certificates/],
  ['half of a unit for trying things out', ['--only', 'control', '--dev'], {}, /--only.*production/],
  ['a half that nobody knows', [], { SERVICE_ONLY: 'gateway' }, /SERVICE_ONLY.*control, runner/],
  ['a place for halves of a whole unit', [], { SERVICE_RUN_DIR: '/run/x' }, /SERVICE_RUN_DIR.*--only/],
  ['a pinning that is none', ['--mcp-pinning', 'loose'], {}, /warn, refuse, strict/],
  ['three approvals', ['--approvals', '3'], {}, /--approvals.*"3"/],
  ['no approval at all', [], { SERVICE_APPROVALS: '0' }, /SERVICE_APPROVALS/],
  ['a time without a unit', ['--change-ttl', '7'], {}, /--change-ttl.*from 1m to 365d/],
  ['a time with a unit that nobody knows', ['--change-ttl', '2w'], {}, /got "2w"/],
  ['a time that is not whole', ['--change-ttl', '1.5h'], {}, /got "1.5h"/],
  ['a time below the least', ['--change-ttl', '59s'], {}, /1m/],
  ['a time beyond the most', [], { SERVICE_CHANGE_TTL: '366d' }, /365d/],
  ['a proxy that is a name', [], { SERVICE_TRUSTED_PROXIES: 'proxy.example' }, /SERVICE_TRUSTED_PROXIES.*proxy\.example/],
  ['a network that is too narrow', [], { SERVICE_TRUSTED_PROXIES: '10.0.0.0/33' }, /10\.0\.0\.0\/33/],
  ['an address of five parts', [], { SERVICE_TRUSTED_PROXIES: '10.0.0.0.1/8' }, /SERVICE_TRUSTED_PROXIES/],
  ['everybody as a trusted proxy', [], { SERVICE_TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }, /can claim any client address/],
  ['a mount path that is not absolute', [], { SERVICE_MOUNT_ALLOW: '/srv:data' }, /SERVICE_MOUNT_ALLOW.*"data"/],
  ['an image without a digest', [], { SERVICE_SANDBOX_IMAGE: 'x' }, /SERVICE_SANDBOX_IMAGE/],
  ['a key without an image', [], { SERVICE_IMAGE_KEY: '/k' }, /SERVICE_IMAGE_KEY: expected SERVICE_SANDBOX_IMAGE beside it/],
  ['a key for a tag', ['--dev'], { SERVICE_IMAGE_KEY: '/k', SERVICE_SANDBOX_IMAGE: 'x:1' }, /SERVICE_SANDBOX_IMAGE: expected a digest/],
  [
    'a key that is none',
    [],
    { SERVICE_IMAGE_KEY: '/dev/null', SERVICE_SANDBOX_IMAGE: `x@sha256:${'0'.repeat(64)}` },
    /SERVICE_IMAGE_KEY: expected a file with a public key .* cannot be read as a key/,
  ],
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

test('a change takes one approval, lasts seven days, and definitions that moved are refused, unless told otherwise', () => {
  const { pinning, approvals, changeTtl, mountAllow, trustedProxies } = plan([])
  assert.deepEqual(
    { pinning, approvals, changeTtl, mountAllow, trustedProxies },
    { pinning: 'refuse', approvals: 1, changeTtl: 7 * 24 * 3600_000, mountAllow: [], trustedProxies: [] },
  )
})

test('pinning, approvals and the life of a change are set by flag or by variable', () => {
  const byFlag = plan(['--mcp-catalog', '/etc/c.json', '--mcp-pinning', 'strict', '--approvals=2', '--change-ttl', '90m'])
  const byVariable = plan([], { SERVICE_MCP_PINNING: 'strict', SERVICE_APPROVALS: '2', SERVICE_CHANGE_TTL: '90m' })
  for (const { pinning, approvals, changeTtl } of [byFlag, byVariable]) {
    assert.deepEqual({ pinning, approvals, changeTtl }, { pinning: 'strict', approvals: 2, changeTtl: 90 * 60_000 })
  }
})

const times: readonly (readonly [string, number])[] = [
  ['60s', 60_000],
  ['1m', 60_000],
  ['12h', 12 * 3600_000],
  ['365d', 365 * 24 * 3600_000],
]
for (const [text, milliseconds] of times) {
  test(`reads ${text} as ${milliseconds} ms`, () => assert.equal(plan(['--change-ttl', text]).changeTtl, milliseconds))
}

test('trusted proxies are networks, and a bare address is a network of one', () => {
  assert.deepEqual(plan([], { SERVICE_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7 ,fd00::/8,2001:db8::1' }).trustedProxies, [
    '10.0.0.0/8',
    '192.0.2.7/32',
    'fd00::/8',
    '2001:db8::1/128',
  ])
})

test('paths for mounts are separated by colons or commas and written without detours', () => {
  assert.deepEqual(plan([], { SERVICE_MOUNT_ALLOW: '/srv/data/:/srv/a/../b,/srv/data' }).mountAllow, ['/srv/data', '/srv/b'])
})

test('reads how the unit reaches the world outside', () => {
  assert.deepEqual(plan([]).outbound, { proxy: null, noProxy: [], authorities: null })
  const { proxy, noProxy } = plan([], {
    SERVICE_HTTPS_PROXY: 'http://user:pass@proxy.example:3128',
    SERVICE_NO_PROXY: '.corp.example, 10.0.0.0/8,*',
  }).outbound
  assert.deepEqual({ proxy, noProxy }, { proxy: 'http://user:pass@proxy.example:3128/', noProxy: ['.corp.example', '10.0.0.0/8', '*'] })
})

for (const [name, value] of [
  ['SERVICE_HTTPS_PROXY', 'secret-proxy:3128'],
  ['SERVICE_HTTPS_PROXY', 'socks5://secret-proxy:1080'],
  ['SERVICE_HTTPS_PROXY', 'http://secret-proxy/path'],
  ['SERVICE_NO_PROXY', '10.0.0.0/33'],
  ['SERVICE_NO_PROXY', 'http://a.example'],
  ['SERVICE_CA_FILE', '/nonexistent/ca.pem'],
  ['SERVICE_CA_FILE', '/dev/null'],
] as const)
  test(`refuses ${name}=${value} and shows no proxy's url`, () => {
    const { exit, text } = refused([], { [name]: value })
    assert.equal(exit, exits.configuration)
    assert.ok(text.startsWith(`${name}: expected `), text)
    assert.doesNotMatch(text, /secret-proxy/)
  })

for (const [flag, value] of [
  ['--mcp-isolation', 'container'],
  ['--mcp-engine', 'podman'],
  ['--mcp-runtime', 'runsc'],
  ['--mcp-image', 'tools:1'],
  ['--mcp-pinning', 'strict'],
] as const) {
  test(`refuses ${flag} on a unit without tool servers, and says what turns them on`, () => {
    for (const mode of [[], ['--demo']]) {
      const { exit, text } = refused([...mode, flag, value])
      assert.equal(exit, exits.configuration)
      assert.match(text, new RegExp(`${flag} has no effect: this unit has no tool servers add --mcp-catalog FILE, or leave out ${flag}`))
    }
    for (const right of [
      ['--mcp-catalog', '/etc/c.json'],
      ['--only', 'runner'],
    ])
      assert.doesNotThrow(() => plan([...right, flag, value]))
  })

  test(`warns of the variable of ${flag} on a unit without tool servers, since it may be shared by units`, () => {
    const variable = `SERVICE_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`
    const warningsOf = (argv: string[]) => decidePlan(argv, { ...home, [variable]: value }, '1.2.3').warnings
    assert.match(warningsOf([]).join(' '), new RegExp(`${variable} has no effect: .*--mcp-catalog FILE, or unset ${variable}`))
    assert.deepEqual(warningsOf(['--mcp-catalog', '/etc/c.json']), [])
  })
}

test('refuses flags for containers of tool servers where those run without', () => {
  assert.match(refused(['--dev', '--mcp-image', 'tools:1']).text, /--mcp-image has no effect: .* add --mcp-isolation container/)
  assert.doesNotThrow(() => plan(['--dev', '--mcp-isolation', 'container', '--mcp-image', 'tools:1']))
})

test('--sandbox-engine names the engine of sandboxes, and is refused where none is used', () => {
  assert.equal(plan([]).sandboxEngine, null)
  assert.equal(plan(['--sandbox-engine', 'podman']).sandboxEngine, 'podman')
  assert.equal(plan(['--demo'], { SERVICE_SANDBOX_ENGINE: 'podman' }).sandboxEngine, 'podman')
  for (const driver of ['bubblewrap', 'oci', 'off'])
    assert.match(
      refused(['--sandbox', driver, '--sandbox-engine', 'podman']).text,
      /--sandbox-engine has no effect.*add --sandbox container/,
    )
})
