// What must be true of a state directory after a power cut or a fault: whatever was answered stands, in every store, and the unit starts from it.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentGroupID, ChangeID, stateFiles } from '@gatehouse/contracts'
import { verifyJournal } from '@gatehouse/journal'
import * as v from 'valibot'
import { context, openStores, type Opened, token } from './opened.ts'
import type { Said } from './said.ts'

export interface Promised {
  readonly said: readonly Said[]
  /** Records of calls are on disk within a moment of their answer: only those before it are promised. */
  readonly callsOnDisk: number
  /** Whose messages are looked for. */
  readonly group: string
}

const about = (said: readonly Said[], ...acts: Said['to'][]): string[] => said.filter(({ to }) => acts.includes(to)).map(({ id }) => id)

const expectChanges = async ({ gateway }: Opened, said: readonly Said[]): Promise<void> => {
  const read = (id: string) => gateway.controlPlane.change({ token, id: v.parse(ChangeID, id) }, context)
  for (const id of about(said, 'submit')) assert.ok(await read(id))
  for (const id of about(said, 'approve')) {
    const { state } = await read(id)
    // The next change of the same thing may have come before it: then it fails, and says so.
    assert.ok(['approved', 'applied', 'apply_failed'].includes(state), `${id} was approved, and is ${state}`)
  }
  for (const id of about(said, 'apply')) assert.equal((await read(id)).state, 'applied', `${id} was applied`)
}

const expectOnce = async ({ gateway }: Opened): Promise<void> => {
  const seen = new Set<string>()
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const { items, nextCursor } = await gateway.controlPlane.audit(
      { token, limit: 200, ...(cursor === undefined ? {} : { cursor }) },
      context,
    )
    for (const { changeID, stage } of items) {
      if (changeID === undefined) continue
      assert.ok(!seen.has(`${changeID} ${stage}`), `${changeID}: ${stage} twice`)
      seen.add(`${changeID} ${stage}`)
    }
    cursor = nextCursor
  }
}

const expectPeople = async ({ gateway }: Opened, said: readonly Said[]): Promise<void> => {
  const names = (await gateway.controlPlane.tokens({ token }, context)).items.map(({ name }) => name)
  const revoked = about(said, 'revoke')
  for (const name of revoked) assert.ok(!names.includes(name), `the token ${name} is back`)
  // The last one may have been revoked without its answer.
  for (const name of about(said, 'mint').slice(0, -1))
    assert.ok(names.includes(name) || revoked.includes(name), `the token ${name} is gone`)
  if (about(said, 'freeze').length > 0) assert.equal((await gateway.controlPlane.freezes({ token }, context)).items.length, 1)
}

const expectCatalog = async ({ dir }: Opened, said: readonly Said[]): Promise<void> => {
  const entries = JSON.parse(await readFile(join(dir, stateFiles.catalog), 'utf8')) as object
  const removed = about(said, 'remove')
  for (const name of removed) assert.ok(!(name in entries), `the entry ${name} is back`)
  for (const name of about(said, 'put').slice(0, -1)) assert.ok(name in entries || removed.includes(name), `the entry ${name} is gone`)
}

const expectMessages = async ({ runner }: Opened, { said, group }: Promised): Promise<void> => {
  const found: { id: string; seq: number }[] = []
  for (;;) {
    const page = { agentGroupID: v.parse(AgentGroupID, group), after: found.at(-1)?.seq ?? 0, limit: 200 }
    const { messages } = await runner.controlPlane.messages(page, context)
    if (messages.length === 0) break
    found.push(...messages)
  }
  assert.deepEqual(
    found.map(({ seq }) => seq),
    found.map((_, index) => index + 1),
    'messages are numbered without gaps',
  )
  const ids = found.map(({ id }) => id)
  const sent = about(said, 'message')
  assert.deepEqual(
    ids.filter((id) => sent.includes(id)),
    sent,
    'messages are there, in order, each once',
  )
}

const expectCalls = async ({ records }: Opened, callsOnDisk: number): Promise<void> => {
  const isWanted = (record: unknown): boolean => v.is(v.looseObject({ op: v.literal('call'), status: v.literal('ok') }), record)
  const { items } = await records.read({ isWanted, limit: 100_000, max: { lines: 1_000_000, bytes: 2 ** 30 } })
  assert.ok(items.length >= callsOnDisk, `${items.length} records of ${callsOnDisk} calls`)
}

const expectJournal = async (dir: string): Promise<void> => {
  const verdict = await verifyJournal({ path: join(dir, stateFiles.audit), publicKeyPath: join(dir, stateFiles.journalKey) })
  assert.equal(verdict.ok, true, 'the journal does not verify')
}

/** The next start makes both where neither is; it refuses to put a new key beside an old database. */
const isBegun = (dir: string): boolean => {
  const has = (name: string): boolean => existsSync(join(dir, name))
  if (has(stateFiles.state) && has(stateFiles.keyring)) return true
  assert.ok(!has(stateFiles.database), 'the database is there, and its key is gone')
  return false
}

/** Throws for the first thing that is not as it must be. */
export const check = async (dir: string, promised: Promised): Promise<void> => {
  const { said, callsOnDisk } = promised
  if (!isBegun(dir)) {
    assert.deepEqual(said, [], 'all that was promised is gone')
    return
  }
  const opened = await openStores(dir)
  try {
    assert.equal((await opened.gateway.supervisor.health({}, context)).status, 'ready')
    assert.deepEqual(
      (await opened.runner.controlPlane.sessions({}, context)).items.filter(({ state }) => state === 'parked'),
      [],
    )
    await expectChanges(opened, said)
    await expectOnce(opened)
    await expectPeople(opened, said)
    await expectCatalog(opened, said)
    await expectMessages(opened, promised)
    await expectCalls(opened, callsOnDisk)
  } finally {
    await opened.close()
  }
  await expectJournal(dir)
}
