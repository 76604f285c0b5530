// A unit under load, to be recorded: each answer goes into a file the moment it is there, and at the end everything is killed.
// `workload.ts STATE-DIR SAID-FILE ROUNDS`.
import { appendFileSync } from 'node:fs'
import { say } from '../../src/chat.ts'
import { startLoad } from '../../src/load/acknowledged.ts'
import { openTools } from '../../src/tools-socket.ts'
import { startUnit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'
import type { Said } from '../../src/stores/said.ts'

const [stateDir = '', saidFile = '', rounds = ''] = process.argv.slice(2)
const note = (line: Said): void => appendFileSync(saidFile, `${JSON.stringify(line)}\n`)

const unit = await startUnit({ stateDir, flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'] })
note({ to: 'start', id: '' })

const carry = async (kind: string, agentGroupID: string, state: object): Promise<void> => {
  const { id } = await unit.client.changes.submit({ kind, agentGroupID, after: state })
  note({ to: 'submit', id })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  note({ to: 'apply', id })
}

/** What an administrator does, once for each round. */
const administer = async (round: number): Promise<void> => {
  const name = `server-${round}`
  await unit.client.servers.put(name, { transport: 'stdio', command: '/bin/cat', args: [], env: {} })
  note({ to: 'put', id: name })
  await unit.client.tokens.create({ name: `token-${round}`, role: 'auditor' })
  note({ to: 'mint', id: `token-${round}` })
  await unit.client.tokens.revoke(`token-${round}`)
  note({ to: 'revoke', id: `token-${round}` })
  await unit.client.servers.remove(name)
  note({ to: 'remove', id: name })
}

await carry('agent_create', 'other', { id: 'other', name: 'other', agent: 'mock' })
await carry('mcp_access', 'dev-agent', { server: 'sample', tools: ['echo'] })
await say(unit, 'hello')
const tools = await openTools(unit)
const load = startLoad({ unit, tools, group: 'dev-agent', other: 'other', conversations: ['console', 'second', 'third'], heard: note })
const amount = Number(rounds)
for (let round = 0; round < amount; round += 1) {
  await administer(round)
  await waitFor('more of the load', 60_000, () => {
    const { approved, messages, calls } = load.taken()
    return [approved.length, messages.length, calls].every((count) => count >= 2 * (round + 1))
  })
}
await unit.client.freezes.freeze({ reason: 'the end of the recording' })
note({ to: 'freeze', id: 'unit' })
await unit.kill()
process.exit(0)
