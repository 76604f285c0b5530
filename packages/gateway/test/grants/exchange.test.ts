// The server behind a grant becomes another one, goes, or comes back: by an operator, by hand, by a registration.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Pinning } from '@gatehouse/contracts'
import { definitionDigest } from '@gatehouse/kernel'
import { list, tool } from '../fixtures/listing.ts'
import { carry, createGroup, decide, grants, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const units = new Map<Pinning, Unit>()
const at = (pinning: Pinning): Unit => units.get(pinning)!

before(async () => {
  for (const pinning of ['refuse', 'strict'] as const) units.set(pinning, await openUnit({ boot: { pinning } }))
})
after(async () => {
  for (const unit of units.values()) {
    await unit.close()
    await removeDirectory(unit.dir)
  }
})

const echo = tool('echo')
const other = { ...stdio, command: '/bin/other' }

const approve = async (pinning: Pinning, name: string) => {
  const unit = at(pinning)
  await createGroup(unit, name)
  await putServer(unit, name)
  await list(unit, name, [echo])
  await carry(unit, ['mcp_access', name, { server: name, tools: ['echo'] }])
  const { id } = await openSession(unit, name)
  unit.heard.length = 0
  return {
    unit,
    call: async (): Promise<string> => {
      const verdict = await authorize(unit, id, [name, 'echo'])
      return verdict.allowed ? (verdict.pin ?? 'any') : verdict.code
    },
    view: async () => (await grants(unit)).find(({ agentGroupID }) => agentGroupID === name)!,
    held: async () =>
      (await unit.gateway.controlPlane.pending({ token, limit: 200 }, context)).items.filter(({ agentGroupID }) => agentGroupID === name),
    last: async (stage: string) =>
      (await audit(unit)).findLast((entry) => entry.stage === stage && JSON.stringify(entry.detail).includes(`"${name}"`)),
  }
}

const editFile = async ({ dir }: Unit, change: (entries: Record<string, unknown>) => void): Promise<void> => {
  const path = join(dir, 'mcp-catalog.json')
  const entries = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  change(entries)
  await writeFile(path, JSON.stringify(entries))
}

test('a replacement with other values concerns no grant', async () => {
  const { call, view, unit } = await approve('strict', 'values')
  assert.deepEqual((await putServer(unit, 'values', { ...stdio, env: { TOKEN: 'x' } })).grants, [])
  assert.equal(await call(), definitionDigest(echo))
  assert.equal((await view()).serverChanged, false)
})

test('refuse: a replacement by another server names its grants, in the answer and in the journal, and they go on, marked', async () => {
  const { call, view, unit, last } = await approve('refuse', 'put')
  const named = [{ agentGroupID: 'put', server: 'put' }]
  assert.deepEqual((await putServer(unit, 'put', other)).grants, named)
  const line = await last('catalog-put')
  assert.deepEqual([line?.detail['grants'], line?.detail['suspended']], [named, []])
  assert.notEqual(line?.detail['before'], line?.detail['digest'])
  assert.equal(await call(), definitionDigest(echo))
  assert.equal((await view()).serverChanged, true)
  await putServer(unit, 'put')
  assert.equal((await view()).serverChanged, false)
})

test('refuse: another server that declares the tool otherwise is refused and asked about', async () => {
  const { call, unit, held } = await approve('refuse', 'put-evil')
  await putServer(unit, 'put-evil', other)
  await list(unit, 'put-evil', [tool('echo', { description: 'evil' })])
  assert.equal(await call(), 'definition-changed')
  assert.equal((await held()).length, 1)
})

test('what the old entry declared says nothing about the new one', async () => {
  const { call, unit, view } = await approve('refuse', 'stale')
  await list(unit, 'stale', [tool('echo', { description: 'evil' })])
  assert.equal(await call(), 'definition-changed')
  await putServer(unit, 'stale', other)
  assert.deepEqual((await view()).changed, [])
  assert.equal(await call(), definitionDigest(echo), 'the broker is told which definition it must be')
})

test('strict: a replacement by another server suspends its grants, tells the broker and asks a person', async () => {
  const { call, view, unit, held, last } = await approve('strict', 'suspended')
  await putServer(unit, 'suspended', other)
  assert.equal(await call(), 'revoked')
  assert.equal((await view()).state, 'suspended')
  const line = await last('catalog-put')
  assert.deepEqual(
    (line?.detail['suspended'] as { agentGroupID: string }[] | undefined)?.map(({ agentGroupID }) => agentGroupID),
    ['suspended'],
  )
  assert.ok(unit.heard.some(({ by, event }) => by === 'broker' && event === 'grant-changed'))
  await list(unit, 'suspended', [echo])
  const [change, ...more] = await held()
  assert.deepEqual([change?.requestedBy, change?.evidence?.['status'], more.length], ['gateway:drift', 'observed', 0])
  await decide(unit, [change!.id, 'approve'], { digest: change!.digest })
  assert.equal(await call(), definitionDigest(echo))
  assert.deepEqual([(await view()).state, (await view()).serverChanged], ['active', false])
})

test('strict: putting the first server back revives nothing by itself', async () => {
  const { call, unit } = await approve('strict', 'back')
  await putServer(unit, 'back', other)
  await putServer(unit, 'back')
  await list(unit, 'back', [echo])
  assert.equal(await call(), 'revoked')
})

test('strict: a suspension that was rejected is asked about again only when the server is another one again', async () => {
  const { unit, held } = await approve('strict', 'reject')
  await putServer(unit, 'reject', other)
  await list(unit, 'reject', [echo])
  await decide(unit, [(await held())[0]!.id, 'reject'])
  await list(unit, 'reject', [echo])
  await putServer(unit, 'reject', { ...other, env: { A: 'b' } })
  assert.equal((await held()).length, 0)
  await putServer(unit, 'reject', { ...other, args: ['--more'] })
  await list(unit, 'reject', [echo])
  assert.equal((await held()).length, 1)
})

test('taking a server away leaves the grant active, and putting it back revives it', async () => {
  const { call, view, unit } = await approve('strict', 'gone')
  await unit.gateway.controlPlane.removeServer({ token, name: server('gone') }, context)
  assert.deepEqual([(await view()).state, (await view()).serverChanged], ['active', false])
  assert.equal(await call(), definitionDigest(echo))
  const explained = await unit.gateway.controlPlane.explain(
    { token, agentGroupID: (await view()).agentGroupID, tool: 'gone__echo' },
    context,
  )
  assert.deepEqual([explained.allowed, explained.code], [false, 'server-unavailable'])
  assert.deepEqual((await putServer(unit, 'gone')).grants, [])
  assert.equal(await call(), definitionDigest(echo))
})

test('another server under the name of one that was taken away concerns its grants', async () => {
  const { call, unit } = await approve('strict', 'renamed')
  await unit.gateway.controlPlane.removeServer({ token, name: server('renamed') }, context)
  assert.deepEqual((await putServer(unit, 'renamed', other)).grants, [{ agentGroupID: 'renamed', server: 'renamed' }])
  assert.equal(await call(), 'revoked')
})

test('strict: a server that is exchanged by hand suspends its grants as well', async () => {
  const { call, unit, view } = await approve('strict', 'by-hand')
  await editFile(unit, (entries) => (entries['by-hand'] = other))
  assert.equal(await call(), definitionDigest(echo), 'a file that nobody reloaded changes nothing')
  const outcome = await unit.gateway.controlPlane.reload({ token }, context)
  assert.deepEqual(outcome.grants, [{ agentGroupID: 'by-hand', server: 'by-hand' }])
  assert.equal(await call(), 'revoked')
  assert.equal((await view()).state, 'suspended')
})

test('strict: a server that is exchanged by hand while the unit is down is found at its start', async () => {
  const { unit } = await approve('strict', 'downtime')
  await unit.close()
  await editFile(unit, (entries) => (entries['downtime'] = other))
  units.set('strict', await openUnit({ dir: unit.dir, boot: { pinning: 'strict' } }))
  const again = at('strict')
  assert.equal((await grants(again)).find(({ agentGroupID }) => agentGroupID === 'downtime')?.state, 'suspended')
})

test('strict: a server put under the name of one that was taken away suspends its grants', async () => {
  const { call, unit, view } = await approve('strict', 'put-again')
  await unit.gateway.controlPlane.removeServer({ token, name: server('put-again') }, context)
  await putServer(unit, 'put-again', other)
  assert.equal(await call(), 'revoked')
  await list(unit, 'put-again', [echo])
  assert.equal((await view()).state, 'suspended')
})

test('a registration under the name of a server that was taken away is refused while its grants stand', async () => {
  for (const pinning of ['refuse', 'strict'] as const) {
    const { unit } = await approve(pinning, 'registered')
    await unit.gateway.controlPlane.removeServer({ token, name: server('registered') }, context)
    await assert.rejects(submit(unit, ['mcp_register', 'registered', { name: 'registered', ...other }]), { code: 'change-refused' })
    await carry(unit, ['mcp_revoke', 'registered', { server: 'registered' }])
    assert.equal((await carry(unit, ['mcp_register', 'registered', { name: 'registered', ...other }])).state, 'applied')
  }
})

test('a registration under a name in use is refused, and the entry stays', async () => {
  const { unit } = await approve('refuse', 'in-use')
  await assert.rejects(submit(unit, ['mcp_register', 'in-use', { name: 'in-use', ...other }]), { code: 'change-refused' })
  assert.equal((await unit.gateway.broker.catalog({}, context)).find(({ name }) => name === 'in-use')?.entry.transport, 'stdio')
})

test('a name that is taken between the approval and its apply is not written over', async () => {
  const { unit } = await approve('refuse', 'race')
  const { id } = await submit(unit, ['mcp_register', 'race', { name: 'raced', ...other }])
  await putServer(unit, 'raced')
  assert.equal((await decide(unit, [id, 'approve'])).state, 'apply_failed')
  const entry = (await unit.gateway.broker.catalog({}, context)).find(({ name }) => name === 'raced')?.entry
  assert.deepEqual(entry, stdio)
})
