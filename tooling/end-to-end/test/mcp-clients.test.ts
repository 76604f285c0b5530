// The MCP clients that people have, real and pinned, against the endpoint of a whole unit. They are fetched from the public registries, so
// they run in the full profile only.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { approve, callBegan, createExternalGroup, type ExternalGroup, recordedCalls } from './fixtures/external-group.ts'
import { startForwarder } from './fixtures/forwarder.ts'
import {
  claudeCode,
  codex,
  inspectorClient,
  installNpm,
  installPython,
  modelClient,
  packages,
  pythonClient,
  type RealClient,
} from './fixtures/real-clients.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const ask = 'request_capability_change'
const patience = 90_000

suite('real MCP clients', { skip: !isFull && 'fetches programs of hundreds of MB: in the full profile', timeout: 1_800_000 }, () => {
  let unit: Unit
  let programs: string
  let npm: (program: string) => string
  let python: string
  before(async () => {
    programs = await mkdtemp(join(tmpdir(), 'gatehouse-clients-'))
    npm = await installNpm(join(programs, 'npm'), [packages.inspector, packages.claude, packages.codex, packages.conformance])
    python = await installPython(join(programs, 'python'))
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--mcp-endpoint'] })
  })
  after(async () => {
    await unit?.dispose()
    await rm(programs, { recursive: true, force: true })
  })

  const clients: Readonly<Record<string, (group: ExternalGroup) => RealClient | Promise<RealClient>>> = {
    inspector: (group) => inspectorClient(npm('mcp-inspector'), unit, group),
    python: (group) => pythonClient(python, unit, { group, mode: 'auto' }),
    'python-legacy': (group) => pythonClient(python, unit, { group, mode: 'legacy' }),
    claude: (group) => modelClient(claudeCode(npm('claude')), unit, group),
    codex: (group) => modelClient(codex(npm('codex')), unit, group),
  }

  for (const [name, connect] of Object.entries(clients)) {
    test(`${name}: a refused call, a request, an approval, a call, a revocation in flight and a freeze`, async () => {
      const client = await connect(await createExternalGroup(unit, name))
      try {
        assert.deepEqual((await client.list()).toSorted(), [ask])
        assert.doesNotMatch(await client.call(`${name}__fast`), /fast was called/)

        const held = await client.call(ask, { kind: 'mcp_access', after: { server: name, tools: [] } })
        assert.match(held, /is held/)
        const [pending] = (await unit.client.changes.pending({ agentGroupID: name })).items
        assert.ok(pending !== undefined)
        await approve(unit, pending.id)
        await waitFor('the change to be applied', patience, async () => (await unit.client.changes.show(pending.id)).state === 'applied')
        assert.deepEqual((await client.list()).toSorted(), [`${name}__fast`, `${name}__wait`, ask].toSorted())
        assert.match(await client.call(`${name}__fast`), /fast was called/)

        const flying = client.call(`${name}__wait`)
        await callBegan(unit, name, 'wait')
        const revoke = await unit.client.changes.submit({ kind: 'mcp_revoke', agentGroupID: name, after: { server: name } })
        await approve(unit, revoke.id)
        assert.match(await flying, /revoked/)
        assert.deepEqual((await client.list()).toSorted(), [ask])

        await unit.client.freezes.freeze({ agentGroupID: name, reason: 'a drill' })
        assert.doesNotMatch(await client.call(`${name}__fast`), /fast was called/)
        const recorded = await recordedCalls(unit, name)
        assert.deepEqual(
          recorded.filter((call) => !/^fast (not-granted|revoked|frozen)$/.test(call)),
          ['fast ok', 'wait revoked'],
        )
      } finally {
        await client.close()
      }
    })
  }

  /** What the endpoint declares as absent (prompts, resources, sampling) is not asked for. */
  const scenarios = [
    'server-initialize',
    'ping',
    'tools-list',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'sep-2164-resource-not-found',
  ]

  test('the official conformance suite finds nothing wrong with the endpoint in either era of the protocol', async () => {
    const group = await createExternalGroup(unit, 'conformance')
    const forwarder = await startForwarder(unit.address, { authorization: `Bearer ${group.token}` })
    try {
      for (const scenario of scenarios) {
        const args = ['server', '--url', `${forwarder.address}/mcp`, '--scenario', scenario, '-o', join(programs, scenario)]
        const { exitCode, stdout } = await execa(npm('conformance'), args, { reject: false, timeout: patience })
        assert.match(stdout, /Passed: ([1-9]\d*)\/\1, 0 failed/, `${scenario} (exit ${exitCode}):\n${stdout}`)
      }
    } finally {
      await forwarder.close()
    }
  })
})
