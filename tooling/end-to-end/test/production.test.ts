// A production unit with every wall: the seal is proved and journaled, an agent answers, and a tool is called behind it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from '../src/http.ts'
import { startUnit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 'p'.repeat(64)
const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const isRoot = process.getuid?.() === 0

const sandboxes: readonly (readonly [string, readonly string[]])[] = [
  ['oci with runsc', ['--sandbox', 'auto', '--allow-old-engine']],
  ...(full
    ? ([
        ['oci with runc', ['--sandbox', 'oci', '--sandbox-runtime', 'runc', '--allow-old-engine']],
        ['bubblewrap', ['--sandbox', 'bubblewrap']],
        [
          'podman, which has every wall where docker lacks some',
          ['--sandbox', 'container', '--sandbox-runtime', 'runc', '--allow-old-engine'],
        ],
      ] as const)
    : []),
]

for (const [name, flags] of sandboxes) {
  const skip = isRoot ? false : 'needs root: for the host ids of groups and for limits'
  test(`in production an agent answers behind every wall: ${name}`, { skip }, async (t) => {
    const unit = await startUnit({ flags: [...flags], env: { SERVICE_API_TOKEN: token }, token })
    t.after(unit.dispose)
    const { client } = unit
    assert.equal((await request(`${unit.address}/readyz`)).status, 200)
    const create = { kind: 'agent_create', agentGroupID: 'clerk', after: { id: 'clerk', name: 'Clerk', agent: 'mock' } }
    const { id } = await client.changes.submit(create)
    assert.equal((await client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
    const { sandbox } = await waitFor('a proof', 300_000, async () => {
      const status = await client.status()
      return status.sandbox.seal === 'held' || status.sandbox.seal === 'lacking' ? status : undefined
    })
    assert.deepEqual([sandbox.status, sandbox.missing, sandbox.seal], ['ok', [], 'held'], JSON.stringify(sandbox))
    await client.chat.send({ agentGroupID: 'clerk', text: 'hello' })
    const reply = await waitFor('a reply', 300_000, async () => {
      const { messages } = await client.chat.messages('clerk')
      return messages.find(({ from }) => from === 'agent')
    })
    assert.equal(reply.text, 'echo: hello')
    const proofs = await waitFor('a line of the proof', 300_000, async () => {
      const { items } = await client.audit.list({ stage: 'seal-proof' })
      return items.length > 0 ? items : undefined
    })
    assert.deepEqual(proofs[0]?.detail['lacking'], [])
  })
}
