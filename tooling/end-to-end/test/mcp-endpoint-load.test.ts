// A thousand MCP clients outside of a sandbox on one unit: what they hear, and what becomes of their calls when processes are killed.
// Profile: rest. Holds a thousand streams open and kills three processes again and again.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Agent, request as send } from 'node:http'
import { post } from '../src/http.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'
import { approve, createExternalGroup } from './fixtures/external-group.ts'

const patience = 120_000
const group = 'crowd'
const tokens = 64
const streamsOfOne = 16
const victims = ['gateway', 'broker', 'control-plane'] as const
const rounds = 2

let unit: Unit
let clients: readonly string[]
before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--mcp-endpoint', '--rate-limit', 'off'] })
  const { token } = await createExternalGroup(unit, group)
  const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: group, after: { server: group, tools: ['fast'] } })
  await approve(unit, id)
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const others = []
  for (let index = 1; index < tokens; index += 1)
    others.push((await unit.client.tokens.create({ name: `crowd-${index}`, role: 'client', groups: [group] as never, expiresAt })).token)
  clients = [token, ...others]
})
after(() => unit?.dispose())

const headersOf = (token: string) => ({ accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` })

interface Heard {
  readonly agent: Agent
  /** Streams that heard of a change of the tools. */
  readonly count: () => number
}

/** Opens every stream of notifications that a client of the revisions with a handshake opens. */
const listen = async (): Promise<Heard> => {
  const agent = new Agent({ keepAlive: true, maxSockets: tokens * streamsOfOne })
  const heard = new Set<number>()
  let open = 0
  const all = clients.flatMap((token) => Array.from({ length: streamsOfOne }, () => token)).slice(0, 1_000)
  for (const [index, token] of all.entries()) {
    const request = send(`${unit.address}/mcp`, { agent, method: 'GET', headers: { ...headersOf(token), accept: 'text/event-stream' } })
    request.on('response', (response) => {
      assert.equal(response.statusCode, 200)
      open += 1
      response.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('list_changed')) heard.add(index)
      })
      response.on('error', () => undefined)
    })
    request.on('error', () => undefined)
    request.end()
  }
  await waitFor('a thousand streams to be open', patience, () => open === 1_000)
  return { agent, count: () => heard.size }
}

/** One call; whether its answer came, and was no error. */
const call = async (token: string, number: number): Promise<boolean> => {
  const params = { name: `${group}__fast`, arguments: { number } }
  const { status, text } = await post(
    `${unit.address}/mcp`,
    { jsonrpc: '2.0', id: number, method: 'tools/call', params },
    headersOf(token),
  ).catch(() => ({ status: 0, text: '' }))
  return status === 200 && text.includes('fast was called')
}

const begun = async (): Promise<string[]> =>
  (await readFile(join(unit.stateDir, `server-${group}`, 'calls'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

const records = async (): Promise<{ id: string; status: string }[]> => {
  const found: { id: string; status: string }[] = []
  let cursor: string | undefined
  do {
    const page = await unit.client.audit.calls({ agentGroupID: group, op: 'call', limit: 200, ...(cursor !== undefined && { cursor }) })
    found.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return found
}

test('a thousand clients listen, each hears of a new grant, and a person still gets the events', async () => {
  const { agent, count } = await listen()
  try {
    const { id } = await unit.client.changes.submit({
      kind: 'mcp_access',
      agentGroupID: group,
      after: { server: group, tools: ['fast', 'wait'] },
    })
    await approve(unit, id)
    await waitFor('each of them to hear of it', patience, () => count() === 1_000)
    const events = await fetch(`${unit.address}/v1/events`)
    assert.equal(events.status, 200)
    await events.body?.cancel()
  } finally {
    agent.destroy()
  }
})

/** Where it runs, once the unit says so. */
const runningAt = async (name: string): Promise<number | undefined> => {
  const status = await unit.client.status().catch(() => undefined)
  return status?.processes.find((process) => process.name === name && process.state === 'ready')?.pid ?? undefined
}

const killAndAwait = async (victim: string): Promise<void> => {
  const before = await waitFor(`${victim} to run`, patience, () => runningAt(victim))
  process.kill(before, 'SIGKILL')
  await waitFor(`${victim} to be back`, patience, async () => {
    const now = await runningAt(victim)
    return now !== undefined && now !== before
  })
}

test('of the calls of 64 busy clients none begins twice, and each is recorded once, whoever is killed', async () => {
  const earlier = new Set((await records()).map(({ id }) => id))
  const beganBefore = (await begun()).length
  let number = 0
  let answered = 0
  const over = new AbortController()
  const busy = clients.map(async (token) => {
    while (!over.signal.aborted) {
      number += 1
      if (await call(token, number)) answered += 1
      else await new Promise((resolve) => void setTimeout(resolve, 50))
    }
  })
  try {
    for (const victim of Array.from({ length: rounds }, () => victims).flat()) {
      const since = answered
      await waitFor('calls to be answered', patience, () => answered > since + clients.length)
      await killAndAwait(victim)
    }
    const since = answered
    await waitFor('calls to be answered at the end', patience, () => answered > since + clients.length)
  } finally {
    over.abort()
    await Promise.all(busy)
  }

  const began = (await begun()).slice(beganBefore)
  assert.equal(new Set(began).size, began.length, 'a call began twice')
  const own = (await records()).filter(({ id }) => !earlier.has(id))
  assert.equal(new Set(own.map(({ id }) => id)).size, own.length, 'a call was recorded twice')
  const ok = own.filter(({ status }) => status === 'ok').length
  assert.ok(answered <= ok, `${answered} answered, ${ok} recorded as answered`)
  assert.ok(began.length <= own.length, `${began.length} begun, ${own.length} recorded`)
})
