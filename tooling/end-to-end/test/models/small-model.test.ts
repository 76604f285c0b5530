// A dialogue with a real small open model, where its weights are: GATEHOUSE_SMALL_MODEL names the folder, docs/reference/models.md says how to
// fill it. What it says is its own; what the house makes of it is judged.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { execa } from 'execa'
import { type Answer, request } from '../../src/http.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const folder = process.env['GATEHOUSE_SMALL_MODEL']
const group = 'small'
const patience = 300_000

const startModel = async (weights: string) => {
  const program = join(import.meta.dirname, '../fixtures/small-model.mjs')
  const child = execa(process.execPath, [program, weights], { stdin: 'pipe', buffer: false, reject: false })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  const end = async (): Promise<void> => {
    child.stdin.end()
    await child
  }
  return { baseUrl: `http://127.0.0.1:${String(port)}/v1`, end }
}

const repeat = (name: string, given: object): string =>
  `Repeat exactly: <tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`

if (folder !== undefined && process.env['GATEHOUSE_PROFILE'] === 'full') {
  let unit: Unit
  let model: Awaited<ReturnType<typeof startModel>>
  before(async () => {
    model = await startModel(folder)
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'bubblewrap'], env: { SERVICE_MODEL_BASE_URL: model.baseUrl } })
    const after = {
      id: group,
      name: 'Small',
      agent: 'model',
      persona: 'Be brief.',
      model: { provider: 'compatible', id: 'small' },
    } as const
    const { id } = await unit.client.changes.submit({ kind: 'agent_create', agentGroupID: group, after })
    await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  })
  after(async () => {
    await unit.dispose()
    await model.end()
  })

  const repliesAfter = async (seq: number) =>
    (await unit.client.chat.messages(group, { after: seq })).messages.filter(({ from }) => from === 'agent')

  /** All that it says until the message is answered for. */
  const ask = async (text: string): Promise<string> => {
    const { messageId } = await unit.client.chat.send({ agentGroupID: group, text })
    await waitFor(`the end of ${text}`, patience, async () => {
      const { items } = await unit.client.sessions.list()
      return items.every(({ waiting }) => waiting === 0)
    })
    const { messages } = await unit.client.chat.messages(group)
    return messages.flatMap(({ inReplyTo, text: said }) => (inReplyTo === messageId ? [said] : [])).join('\n')
  }

  const callsOf = (): Promise<Answer> => request(`${unit.address}/v1/audit/calls`)

  test('a real small model answers, asks for a tool, is told of the approval, and calls it', async () => {
    assert.match(await ask('What is the capital of France?'), /Paris/)
    const asked = await ask(
      repeat('request_capability_change', { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'] }, reason: 'to echo' }),
    )
    const { items } = await unit.client.changes.pending()
    const [change] = items
    assert.deepEqual([change?.kind, change?.after], ['mcp_access', { server: 'sample', tools: ['echo'] }], asked)
    const { messages } = await unit.client.chat.messages(group)
    await unit.client.changes.decide(change?.id ?? '', { outcome: 'approve', decidedBy: 'someone', digest: change?.digest })
    await waitFor('a word on the approval', patience, async () => (await repliesAfter(messages.at(-1)?.seq ?? 0)).length > 0)
    await ask(repeat('sample__echo', { text: 'hello' }))
    assert.match((await callsOf()).text, /"tool":"echo","op":"call","status":"ok"/)
    const { items: records } = await unit.client.models.calls({ agentGroupID: group })
    assert.ok(
      records.length >= 6 && records.every(({ outcome, tokensIn, tokensOut }) => outcome === 'ok' && tokensIn > 50 && tokensOut > 0),
    )
  })
}
