// Without a catalog there is no tool-server surface: not a refused one, none.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { demoToken } from '@gatehouse/contracts'
import { say } from '../src/chat.ts'
import { findCombinations, skipReason } from '../src/combinations.ts'
import { post, request } from '../src/http.ts'
import { runDirectoryOf } from '../src/run-directory.ts'
import { startUnit } from '../src/unit.ts'

const token = demoToken
const engine = (await findCombinations()).find(({ name }) => name === 'docker with runc')
const bearer = { authorization: `Bearer ${token}` }

test(
  'without --mcp-catalog there is no broker, no tools.sock, and the MCP endpoints answer mcp-disabled',
  { skip: engine && skipReason(engine) },
  async (t) => {
    const unit = await startUnit({ flags: ['--demo'], token })
    t.after(unit.dispose)
    const created = await post(
      `${unit.address}/v1/changes`,
      { kind: 'agent_create', agentGroupID: 'clerk', after: { id: 'clerk', name: 'Clerk', agent: 'mock' } },
      bearer,
    )
    assert.equal(created.status, 202, created.text)
    const id = String(created.json?.['id'])
    assert.equal(
      (await post(`${unit.address}/v1/changes/${id}/decision`, { outcome: 'approve', decidedBy: 'someone' }, bearer)).status,
      200,
    )
    assert.equal(await say(unit, 'hello', 'clerk'), 'echo: hello')
    assert.equal(await say(unit, 'tools', 'clerk'), 'no tools')

    const { processes } = await unit.client.status()
    assert.deepEqual(processes.map(({ name }) => name).toSorted(), ['control-plane', 'gateway', 'runner'])
    const runDir = await runDirectoryOf(unit)
    assert.ok(!(await readdir(runDir)).includes('tools'))
    assert.ok(!(await readdir(`${runDir}/edges`)).some((name) => name.includes('broker')))

    for (const [method, path] of [
      ['GET', '/v1/registry/mcp-servers'],
      ['GET', '/v1/registry/mcp-servers/sample'],
      ['PUT', '/v1/registry/mcp-servers/sample'],
      ['DELETE', '/v1/registry/mcp-servers/sample'],
      ['POST', '/v1/registry/mcp-servers/sample/probe'],
      ['GET', '/v1/registry/mcp-servers/sample/logs'],
    ] as const) {
      const body = method === 'PUT' ? { body: JSON.stringify({ transport: 'http', url: 'https://example.com' }) } : {}
      const answer = await request(`${unit.address}${path}`, {
        method,
        headers: { ...bearer, ...(method === 'PUT' ? { 'content-type': 'application/json' } : {}) },
        ...body,
      })
      assert.equal(answer.status, 503, `${method} ${path}: ${answer.text}`)
      assert.equal(answer.json?.['code'], 'mcp-disabled')
    }
    const access = await post(
      `${unit.address}/v1/changes`,
      { kind: 'mcp_access', agentGroupID: 'clerk', after: { server: 'sample', tools: [] } },
      bearer,
    )
    assert.equal(access.status, 422)
    assert.equal(access.json?.['code'], 'change-refused')
  },
)
