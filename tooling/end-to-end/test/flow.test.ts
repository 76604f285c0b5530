// The whole mission over HTTP alone, in every sandbox driver, with the sample server as a local and as a remote one; in the full profile
// as both in every driver.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { say } from '../src/chat.ts'
import { findCombinations, flagsOf, skipReason, type Combination } from '../src/combinations.ts'
import { post, request } from '../src/http.ts'
import { startSample } from '../src/sample-over-http.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const both = ['stdio', 'http'] as const
type Transport = (typeof both)[number]

/** A server is the broker's, whichever driver an agent is in: one driver with both shows that. */
const transportsOf = ({ name }: Combination): readonly Transport[] =>
  full || name === 'bubblewrap' ? both : [name === 'docker with runc' ? 'http' : 'stdio']

const table: string[] = []
after(() => process.stdout.write(`\nwhat ran the flow:\n${table.map((row) => `  ${row}`).join('\n')}\n`))

const configure = async (unit: Unit, transport: Transport): Promise<() => Promise<void>> => {
  if (transport === 'stdio') return async () => {}
  const sample = await startSample()
  const put = await request(`${unit.address}/v1/registry/mcp-servers/sample`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transport: 'http', url: sample.url }),
  })
  assert.equal(put.status, 200, put.text)
  return sample.stop
}

const submit = async (unit: Unit, kind: string, after: object): Promise<string> => {
  const { status, json, text } = await post(`${unit.address}/v1/ui/config/change`, {
    kind,
    agentGroupID: 'dev-agent',
    requestedBy: 'cli:tester',
    after,
  })
  assert.equal(status, 202, text)
  const id = String(json?.['id'])
  assert.match(id, /^chg_\d{14}\.\d{9}$/)
  return id
}

const approve = async (unit: Unit, id: string): Promise<void> => {
  const { status, text } = await post(`${unit.address}/v1/changes/${id}/decision`, { outcome: 'approve', decidedBy: 'someone' })
  assert.equal(status, 200, text)
}

/** The next launch comes by itself at the next quiet moment. */
const toolsAre = (unit: Unit, expected: string): Promise<boolean> =>
  waitFor(`the agent to see "${expected}"`, 60_000, async () => (await say(unit, 'tools')) === expected)

const flow = async (unit: Unit): Promise<void> => {
  assert.equal(await say(unit, 'hello'), 'echo: hello')
  const call = 'tool:sample__echo {"text":"hi"}'
  assert.match(await say(unit, call), /^refused: .*\(not-granted\)$/)

  const access = await submit(unit, 'mcp_access', { server: 'sample', tools: ['echo'] })
  const pending = await request(`${unit.address}/v1/changes/pending`)
  assert.deepEqual(
    (pending.json?.['items'] as { id: string }[] | undefined)?.map(({ id }) => id),
    [access],
  )
  assert.match(await say(unit, call), /^refused: .*\(not-granted\)$/)

  await approve(unit, access)
  await toolsAre(unit, 'sample__echo')
  assert.equal(await say(unit, call), 'hi')
  assert.match(await say(unit, 'tool:sample__add {"a":1,"b":2}'), /^refused: .*\(not-granted\)$/)

  const revoke = await submit(unit, 'mcp_revoke', { server: 'sample' })
  await approve(unit, revoke)
  assert.match(await say(unit, call), /^refused: .*\((revoked|not-granted)\)$/)

  const { items } = await unit.client.audit.list({ limit: 200 })
  for (const id of [access, revoke]) {
    const stages = items.filter((entry) => entry.changeID === id).map(({ stage }) => stage)
    for (const stage of ['submit', 'approve', 'apply']) assert.ok(stages.includes(stage), `${id} has no ${stage} in ${stages.join(' ')}`)
  }
}

const row = ({ name }: Combination, transport: string, outcome: string): number =>
  table.push(`${name.padEnd(18)} ${transport.padEnd(6)} ${outcome}`)

for (const combination of await findCombinations()) {
  for (const transport of transportsOf(combination)) {
    const title = `an agent in ${combination.name} gets exactly the tool that a human approved, over ${transport}, and loses it again`
    test(title, { skip: skipReason(combination) }, async (t) => {
      const unit = await startUnit({ flags: ['--dev', ...flagsOf(combination)] })
      t.after(unit.dispose)
      t.after(await configure(unit, transport))
      try {
        await flow(unit)
        row(combination, transport, 'ran')
      } catch (error) {
        row(combination, transport, 'failed')
        throw new Error(`the unit said:\n${unit.lines.slice(-40).join('\n')}`, { cause: error })
      }
    })
    if (combination.lacks !== undefined) row(combination, transport, `skipped: ${combination.lacks}`)
  }
}
