// What each process is told at birth: all that its schema asks for, and nothing of the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrokerBoot, ChannelsBoot, ControlPlaneBoot, GatewayBoot, ModelProxyBoot, RunnerBoot } from '@gatehouse/contracts'
import * as v from 'valibot'
import { createEdgeSecrets, createRoster, type Unit } from '../../src/children/roster.ts'
import { decidePlan } from '../../src/plan/decide.ts'

const rosterOf = (argv: string[], env: Record<string, string> = {}) => {
  const { plan } = decidePlan(argv, { HOME: '/home/somebody', ...env }, '1.2.3')
  const keys = {
    database: 'a'.repeat(64),
    journal: 'b'.repeat(64),
    secrets: 'c'.repeat(64),
    queues: 'd'.repeat(64),
    logins: '9'.repeat(64),
    epoch: 1,
    formerSecrets: [],
    formerLogins: [],
  }
  const unit: Unit = {
    plan,
    installation: 'e'.repeat(32),
    unitId: 'f'.repeat(32),
    formerUnitIds: [],
    runDir: '/run/x',
    release: '/opt/x',
    keys,
    token: null,
    isRoot: false,
    sampleCommand: null,
  }
  return new Map(createRoster(unit, createEdgeSecrets()).map(({ name, boot }) => [name, boot]))
}

const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

test('every boot document is what its process expects', () => {
  const roster = rosterOf(['--dev'], { ANTHROPIC_API_KEY: 'a-key-of-anthropic', WEBHOOK_SIGNING_SECRET: webhookSecret })
  const schemas = {
    gateway: GatewayBoot,
    broker: BrokerBoot,
    'model-proxy': ModelProxyBoot,
    runner: RunnerBoot,
    channels: ChannelsBoot,
    'control-plane': ControlPlaneBoot,
  } as const
  assert.deepEqual([...roster.keys()], Object.keys(schemas))
  for (const [name, schema] of Object.entries(schemas)) {
    assert.ok(v.safeParse(schema, roster.get(name as keyof typeof schemas)).success, name)
  }
})

test('the gateway learns how changes are decided, the control plane what it shows and whom it believes', () => {
  const roster = rosterOf(['--dev', '--mcp-pinning', 'warn', '--approvals', '2', '--change-ttl', '1h'], {
    SERVICE_MOUNT_ALLOW: '/srv',
    SERVICE_TRUSTED_PROXIES: '10.0.0.0/8',
  })
  const { pinning, approvals, changeTtl, mountAllow } = roster.get('gateway') as GatewayBoot
  assert.deepEqual(
    { pinning, approvals, changeTtl, mountAllow },
    { pinning: 'warn', approvals: 2, changeTtl: 3600_000, mountAllow: ['/srv'] },
  )
  const plane = roster.get('control-plane') as ControlPlaneBoot
  assert.deepEqual(
    { mcp: plane.mcp, approvals: plane.approvals, trustedProxies: plane.trustedProxies },
    { mcp: { isolation: 'none', pinning: 'warn', endpoint: false }, approvals: 2, trustedProxies: ['10.0.0.0/8'] },
  )
})

test('where local tool servers run in containers, runner and broker share a secret of their own, and nobody else has it', () => {
  const roster = rosterOf(['--mcp-catalog', '/etc/c.json', '--mcp-runtime', 'runsc'], { SERVICE_MOUNT_ALLOW: '/srv' })
  const holders = [...roster].filter(([, { edges }]) => 'runner.broker' in edges).map(([name]) => name)
  assert.deepEqual(holders.toSorted(), ['broker', 'runner'])
  const { toolContainers } = v.parse(RunnerBoot, roster.get('runner'))
  assert.deepEqual(toolContainers, { engine: null, runtime: 'runsc', image: null, mountAllow: ['/srv'], ownPaths: ['/etc/c.json'] })
})

test('where they do not, the runner has no door for a broker', () => {
  for (const roster of [rosterOf(['--dev']), rosterOf([])]) {
    assert.equal(v.parse(RunnerBoot, roster.get('runner')).toolContainers, null)
    for (const { edges } of roster.values()) assert.ok(!('runner.broker' in edges))
  }
})

test('without a catalog there is no broker, and nobody is told of tool servers', () => {
  const roster = rosterOf([])
  assert.equal(roster.has('broker'), false)
  assert.equal((roster.get('control-plane') as ControlPlaneBoot).mcp, null)
})

test('credentials of channels reach the channels alone, and without any there is no such process and no door to it', () => {
  const roster = rosterOf(['--dev'], { WEBHOOK_SIGNING_SECRET: ` ${webhookSecret}  ${webhookSecret} ` })
  const key = webhookSecret.slice('whsec_'.length)
  assert.deepEqual((roster.get('channels') as ChannelsBoot).channels, { webhook: { secrets: [key, key] } })
  for (const [name, boot] of roster) assert.equal(JSON.stringify(boot).includes(key), name === 'channels', name)
  const token = '123456789:only-the-channels-may-know-this'
  const talking = rosterOf(['--dev'], { TELEGRAM_BOT_TOKEN: `${token}\n` })
  assert.deepEqual((talking.get('channels') as ChannelsBoot).channels, { telegram: { token, url: 'https://api.telegram.org' } })
  for (const [name, boot] of talking) assert.equal(JSON.stringify(boot).includes(token), name === 'channels', name)
  const slack = { botToken: 'xoxb-only-the-channels-know', appToken: 'xapp-only-the-channels-know' }
  const both = rosterOf(['--dev'], { SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken })
  assert.deepEqual((both.get('channels') as ChannelsBoot).channels, { slack: { ...slack, url: 'https://slack.com/api/' } })
  for (const [name, boot] of both) assert.equal(JSON.stringify(boot).includes('only-the-channels'), name === 'channels', name)
  const bare = rosterOf(['--dev'])
  assert.equal(bare.has('channels'), false)
  assert.deepEqual(
    [...bare.values()].flatMap(({ edges }) => Object.keys(edges)).filter((edge) => edge.includes('channels')),
    [],
  )
})

test('keys of providers reach the model proxy alone, and without one there is no such process and no door to it', () => {
  const key = 'sk-a-key-of-the-operator-0123456789'
  const roster = rosterOf(['--dev'], {
    OPENAI_API_KEY: key,
    SERVICE_MODEL_BASE_URL: 'http://127.0.0.1:11434/v1',
    SERVICE_MODEL_API_KEY: `${key}-own`,
  })
  const { providers } = roster.get('model-proxy') as ModelProxyBoot
  assert.deepEqual(providers, [
    { name: 'openai', key },
    { name: 'compatible', key: `${key}-own`, baseUrl: 'http://127.0.0.1:11434/v1' },
  ])
  assert.deepEqual((roster.get('gateway') as GatewayBoot).models, ['openai', 'compatible'])
  for (const [name, boot] of roster) assert.equal(JSON.stringify(boot).includes(key), name === 'model-proxy', name)
  const bare = rosterOf(['--dev'])
  assert.equal(bare.has('model-proxy'), false)
  assert.deepEqual(
    [...bare.values()].flatMap(({ edges }) => Object.keys(edges)).filter((edge) => edge.includes('model')),
    [],
  )
})
