// An agent that thinks, in a whole unit: it asks for a tool, a human decides by svcctl, it is told, and goes on from there.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Provider, startProvider } from '@gatehouse/scripted-provider'
import { execa } from 'execa'
import { say } from '../../src/chat.ts'
import { findCombinations, flagsOf, skipReason } from '../../src/combinations.ts'
import { root, startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const script = `
when please echo
say I must ask first.
call request_capability_change {"kind":"mcp_access","after":{"server":"sample","tools":["echo"]},"reason":"to say it again"}
---
say Asked. {result}
when please add
call request_capability_change {"kind":"mcp_access","after":{"server":"sample","tools":["add"]},"reason":"to add"}
---
say Asked. {result}
when was applied
say Told: it was applied.
when was rejected
say Told: it was rejected.
when now echo
call sample__echo {"text":"over the wall"}
---
say It said: {result}
when ask nothing
call sample__echo {"text":"over the wall"}
---
say It said: {result}
`
const key = 'canary-of-a-provider-5f0c6b1d9e'
const combination = (await findCombinations()).find(({ driver }) => driver === 'bubblewrap')
const skip = combination === undefined ? 'needs bubblewrap' : skipReason(combination)

let provider: Provider
let unit: Unit

const svcctl = async (...args: readonly string[]): Promise<string> => {
  const env = { PATH: process.env['PATH'] ?? '', HOME: unit.stateDir, SERVICE_API_URL: unit.address }
  return (await execa(process.execPath, [join(root, 'apps/svcctl/bin/run.ts'), ...args], { env, extendEnv: false })).stdout
}

const group = 'thinker'

/** The last of its replies: what it says before a call is a message of its own. */
const ask = async (text: string): Promise<string> => {
  const { messageId } = await unit.client.chat.send({ agentGroupID: group, text })
  return waitFor(`the last reply to ${text}`, 60_000, async () => {
    const { messages } = await unit.client.chat.messages(group)
    return messages.filter(({ inReplyTo }) => inReplyTo === messageId).find(({ text: said }) => !said.startsWith('I must ask'))?.text
  })
}

const told = (words: string): Promise<true> =>
  waitFor(`the agent to be told: ${words}`, 60_000, async () => {
    const { messages } = await unit.client.chat.messages(group)
    return messages.some(({ text }) => text === words) ? true : undefined
  })

const heldChange = async (): Promise<string> => {
  const { items } = await unit.client.changes.pending()
  assert.equal(items.length, 1)
  return items[0]?.id ?? ''
}

before(async () => {
  if (skip !== false || combination === undefined) return
  provider = await startProvider({ script })
  unit = await startUnit({
    flags: ['--dev', ...flagsOf(combination)],
    env: { SERVICE_MODEL_BASE_URL: `${provider.address}/compatible/v1`, SERVICE_MODEL_API_KEY: key },
  })
  const { id } = await unit.client.changes.submit({
    kind: 'agent_create',
    agentGroupID: group,
    after: { id: group, name: 'Thinker', agent: 'model', model: { provider: 'compatible', id: 'scripted' } },
  })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
})
after(async () => {
  if (skip !== false) return
  await unit.dispose()
  await provider.close()
})

test('question, request, held, approved by svcctl, told, called, answered', { skip }, async () => {
  assert.equal(await say(unit, 'hello', group), 'echo: hello')
  assert.match(await ask('ask nothing'), /There is no tool sample__echo/)
  assert.match(await ask('please echo'), /^Asked\. Change chg_\S+ \(mcp_access\) is held\. A human decides/)
  await svcctl('change', 'approve', await heldChange(), '--by', 'ada', '--yes')
  await told('Told: it was applied.')
  assert.match(await ask('now echo'), /^It said: over the wall/)
})

test('a request that is rejected is told as such, and nothing is granted', { skip }, async () => {
  assert.match(await ask('please add'), /^Asked\. Change chg_\S+ \(mcp_access\) is held/)
  await svcctl('change', 'reject', await heldChange(), '--by', 'ada')
  await told('Told: it was rejected.')
  assert.doesNotMatch(await ask('say {tools}'), /sample__add/)
})

test('the provider never saw a request that it would refuse, and the key was in none that the agent wrote', { skip }, () => {
  assert.ok(provider.requests.length >= 9)
  assert.deepEqual(
    provider.requests.flatMap(({ refused }) => refused ?? []),
    [],
  )
  assert.ok(provider.requests.every(({ headers }) => headers['authorization'] === `Bearer ${key}`))
  assert.doesNotMatch(JSON.stringify(provider.requests.map(({ body }) => body)), new RegExp(key))
})
