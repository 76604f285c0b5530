// Backups of a unit at work: what is restored is a prefix of what was acknowledged, frozen, and nobody else can read it.
// Profile: rest. Backups under load; apps/supervisor and packages/archive test how one is made and restored.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { demoToken, stateFiles } from '@gatehouse/contracts'
import { say } from '../src/chat.ts'
import { post, request } from '../src/http.ts'
import { type Acknowledged, startLoad } from '../src/load/acknowledged.ts'
import { startSample } from '../src/sample-over-http.ts'
import { runStopped } from '../src/stopped.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { openTools } from '../src/tools-socket.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const backups = full ? 50 : 2

const skip = existsSync('/usr/bin/bwrap') ? false : 'needs bwrap, install with: apt-get install -y bubblewrap'
if (skip !== false && process.env['CI'] === 'true') throw new Error(skip)

const group = 'mock-agent'
const other = 'other'
const conversations = ['console', 'second', 'third']
const passphrase = 'a passphrase of the test 0123456789'

interface Taken {
  readonly file: string
  readonly least: Acknowledged
  readonly most: Acknowledged
}

let folder: string
let unit: Unit
let sample: Awaited<ReturnType<typeof startSample>>
const taken: Taken[] = []

const flagsIn = (catalog: string, sandbox = 'bubblewrap'): string[] => {
  return ['--demo', '--sandbox', sandbox, '--rate-limit', 'off', '--mcp-catalog', catalog]
}

const carry = async (kind: string, agentGroupID: string, state: object): Promise<void> => {
  const { id } = await unit.client.changes.submit({ kind, agentGroupID, after: state })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
}

const pages = async <T>(
  page: (cursor: string | undefined) => Promise<{ items: readonly T[]; nextCursor?: string | undefined }>,
): Promise<T[]> => {
  const all: T[] = []
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const { items, nextCursor } = await page(cursor)
    all.push(...items)
    cursor = nextCursor
  }
  return all
}

const messagesOf = async ({ client }: Unit) => {
  const all = []
  for (let last = 0; ;) {
    const { messages } = await client.chat.messages(group, { after: last, limit: 200 })
    if (messages.length === 0) return all
    all.push(...messages)
    last = messages.at(-1)?.seq ?? last
  }
}

const backupTo = async (name: string): Promise<string> => {
  const file = join(folder, name)
  const ran = await runSvcctl(['backup', '--passphrase-file', join(folder, 'passphrase'), '--out', file], {
    address: unit.address,
    token: demoToken,
    home: folder,
  })
  assert.equal(ran.code, 0, ran.stderr)
  return file
}

const restoreTo = async (file: string, stateDir: string): Promise<void> => {
  const { code, text } = await runStopped(['restore', file, '--passphrase-file', join(folder, 'passphrase'), '--state-dir', stateDir])
  assert.equal(code, 0, text)
}

interface Bounds {
  readonly what: string
  readonly least: readonly string[]
  readonly most: readonly string[]
}

/** The first of them, in their order, at least as many as were acknowledged before. */
const assertPrefix = (found: readonly string[], { what, least, most }: Bounds): void => {
  // What was under way at the end may have been done without its answer.
  const known = found.slice(0, most.length)
  assert.deepEqual(known, most.slice(0, known.length), `${what}: in order and without gaps`)
  assert.ok(found.length >= least.length, `${what}: ${found.length} of at least ${least.length}`)
  assert.ok(found.length <= most.length + 1, `${what}: ${found.length} of at most ${most.length} and one under way`)
}

const checkChat = async (restored: Unit, { least, most }: Taken): Promise<void> => {
  const messages = await messagesOf(restored)
  assert.deepEqual(
    messages.map(({ seq }) => seq),
    messages.map((_, index) => index + 1),
    'messages are numbered without gaps',
  )
  const said = messages.filter(({ text }) => text.startsWith('message '))
  assertPrefix(
    said.map(({ id }) => id),
    { what: 'messages', least: least.messages, most: most.messages },
  )
  const ids = new Set(messages.map(({ id }) => id))
  for (const { inReplyTo } of messages) assert.ok(inReplyTo === undefined || ids.has(inReplyTo), 'no answer without its question')
}

const checkChanges = async ({ client }: Unit, { least, most }: Taken): Promise<void> => {
  const changes = await pages((cursor) => client.changes.history({ agentGroupID: other, kind: 'persona', limit: 200, cursor }))
  const held = await pages((cursor) => client.changes.pending({ agentGroupID: other, limit: 200, cursor }))
  const all = [...changes, ...held].toSorted((a, b) => a.id.localeCompare(b.id))
  assertPrefix(
    all.map(({ id }) => id),
    { what: 'changes', least: least.changes, most: most.changes },
  )
  const applied = new Set<string>(changes.filter(({ state }) => state === 'applied').map(({ id }) => id))
  for (const id of least.approved) assert.ok(applied.has(id), `${id} was approved and is applied`)
}

const checkCalls = async ({ client }: Unit, { least, most }: Taken): Promise<void> => {
  const calls = await pages((cursor) => client.audit.calls({ op: 'call', status: 'ok', limit: 200, cursor }))
  assert.ok(calls.length >= least.calls && calls.length <= most.calls + 1, `${calls.length} calls of ${least.calls} to ${most.calls}`)
}

const checkFrozen = async ({ client }: Unit): Promise<void> => {
  const [freeze] = (await client.status()).frozen
  assert.match(freeze?.reason ?? '', /^Restored from the backup of \d{4}-/)
  const { items } = await client.audit.list({ stage: 'restored' })
  assert.deepEqual(items[0]?.detail['grants'], [{ agentGroupID: group, server: 'sample' }])
}

suite('a backup', { skip }, () => {
  before(async () => {
    folder = await freshDirectory()
    await writeFile(join(folder, 'passphrase'), `${passphrase}\n`, { mode: 0o600 })
    sample = await startSample()
    unit = await startUnit({ flags: flagsIn(join(folder, 'catalog.json')), token: demoToken })
    const put = await request(`${unit.address}/v1/registry/mcp-servers/sample`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${demoToken}` },
      body: JSON.stringify({ transport: 'http', url: sample.url }),
    })
    assert.equal(put.status, 201, put.text)
    await carry('agent_create', other, { id: other, name: other, agent: 'mock' })
    await carry('mcp_access', group, { server: 'sample', tools: ['echo'] })
    await say(unit, 'hello', group)
    const tools = await openTools(unit)
    const load = startLoad({ unit, tools, group, other, conversations })
    try {
      await waitFor('all of the load to have begun', 30_000, () => {
        const { approved, messages, calls } = load.taken()
        return approved.length > 2 && messages.length > 6 && calls > 2
      })
      for (let index = 0; index < backups; index += 1) {
        const least = load.taken()
        const file = await backupTo(`backup-${index}.age`)
        taken.push({ file, least, most: load.taken() })
      }
    } finally {
      await load.stop()
      tools.close()
    }
  })
  after(async () => {
    await unit?.dispose()
    await sample?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  test(`holds a prefix of what was acknowledged while it was taken, ${backups} times, and is frozen when it is restored`, async (t) => {
    for (const [index, one] of taken.entries()) {
      const stateDir = join(folder, `restored-${index}`)
      await restoreTo(one.file, stateDir)
      // It is looked at alone: what is frozen launches nothing.
      const restored = await startUnit({ flags: flagsIn(join(stateDir, stateFiles.catalog), 'off'), token: demoToken, stateDir })
      try {
        await checkFrozen(restored)
        await checkChat(restored, one)
        await checkChanges(restored, one)
        await checkCalls(restored, one)
      } finally {
        await restored.stop()
      }
      const verified = await runSvcctl(['audit', 'verify', '--state-dir', stateDir], { address: unit.address, home: folder })
      assert.equal(verified.code, 0, verified.stderr)
      await rm(stateDir, { recursive: true })
    }
    const { changes, messages, calls } = taken.at(-1)!.most
    const { size } = await stat(taken.at(-1)!.file)
    t.diagnostic(
      `${taken.length} backups, the last of ${size} bytes, beside ${changes.length} changes, ${messages.length} messages, ${calls} calls`,
    )
  })

  test('is for an admin alone, wants somebody who can open it, and is journaled', async () => {
    const authorization = { authorization: `Bearer ${demoToken}` }
    for (const body of [{}, { recipients: [] }, { recipients: ['age1x'] }, { passphrase: 'short' }, { passphrase, recipients: ['age1x'] }])
      assert.equal((await post(`${unit.address}/v1/backup`, body, authorization)).status, 422)
    const { token } = await unit.client.tokens.create({ name: 'looker', role: 'approver' })
    assert.equal((await post(`${unit.address}/v1/backup`, { passphrase }, { authorization: `Bearer ${token}` })).status, 403)
    const { items } = await unit.client.audit.list({ stage: 'backup', limit: 200 })
    assert.equal(items.length, backups)
  })

  test('is a file of mode 0600 that is there only when it is whole, and over no other', async () => {
    const { file } = taken[0]!
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const again = ['backup', '--passphrase-file', join(folder, 'passphrase'), '--out', file]
    const ran = await runSvcctl(again, { address: unit.address, token: demoToken, home: folder })
    assert.equal(ran.code, 5, ran.stderr)
    assert.ok(!(await readdir(folder)).some((name) => name.endsWith('.partial')))
    assert.ok(!(await readdir(unit.stateDir)).some((name) => name.startsWith('.backup-')))
  })

  test('shows no key, token, passphrase or message outside of its cover', async () => {
    const keyring = await readFile(join(unit.stateDir, stateFiles.keyring), 'utf8')
    const secrets = [demoToken, passphrase, /"key": "([0-9a-f]{64})"/.exec(keyring)?.[1] ?? '', 'message 0', 'keyring.json', 'ustar']
    const printed = unit.lines
      .filter((line) => !line.includes('(public; demo use only') && !line.includes('export SERVICE_API_TOKEN'))
      .join('\n')
    for (const { file } of taken) {
      const bytes = await readFile(file)
      for (const secret of secrets) assert.ok(!bytes.includes(secret), `${secret} is in the archive`)
    }
    for (const secret of secrets.slice(0, 3)) assert.ok(!printed.includes(secret), 'a secret is in the log')
  })

  test('is not needed where a stopped unit was put into a tar, which starts and answers wherever it is extracted', async () => {
    // Last of all: the unit is stopped for it.
    await unit.stop()
    const [archive, state] = [join(folder, 'state.tar'), join(folder, 'extracted')]
    await execa('tar', ['-C', unit.stateDir, '-S', '-cf', archive, '.'])
    await execa('mkdir', ['-m', '0700', state])
    await execa('tar', ['-C', state, '-xf', archive])
    const isRoot = process.getuid?.() === 0
    if (isRoot) await execa('chown', ['-R', '65532:65532', state])
    await execa('chmod', ['-R', '0700', state])
    if (isRoot) await execa('chmod', ['0711', folder])
    const flags = ['--demo', '--sandbox', 'off']
    const again = await startUnit({ flags, token: demoToken, stateDir: state, ...(isRoot && { uid: 65532 }) })
    try {
      assert.equal((await again.client.status()).frozen.length, 0)
      assert.ok((await messagesOf(again)).length > 6)
      const { id } = await again.client.changes.submit({ kind: 'persona', agentGroupID: other, after: { instructions: 'after the tar' } })
      assert.equal((await again.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
    } finally {
      await again.stop()
    }
  })
})
