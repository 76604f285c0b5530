// Files of the journal are closed while the gateway runs: their lines are still found, and the audit's head is signed and true.
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { AuditHead } from '@gatehouse/contracts'
import { verifyJournal } from '@gatehouse/journal'
import { createMetrics, sha256, silentLogger, waitFor } from '@gatehouse/kernel'
import { openStore } from '@gatehouse/store'
import { createGateway, migrations } from '../../src/gateway.ts'
import { token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { bootOf, context, newDirectory, removeDirectory } from '../fixtures/unit.ts'
import { naive, openSmallFiles } from './many-lines.ts'

/** A gateway whose journal goes on in a new file every few lines. */
const openRotating = async (dir: string) => {
  const boot = bootOf(dir)
  const journal = await openSmallFiles(dir, 4_000)
  const store = await openStore({ path: join(dir, 'gateway.db'), key: boot.keys.database, migrations })
  const gateway = await createGateway({ boot, store, journal, log: silentLogger, metrics: createMetrics('gateway'), evidenceWait: 0 })
  await gateway.start()
  return {
    gateway,
    journal,
    store,
    close: async () => {
      await gateway.stop()
      await journal.close()
      await store.close()
    },
  }
}

let dir: string
let unit: Awaited<ReturnType<typeof openRotating>>
before(async () => {
  dir = await newDirectory()
  unit = await openRotating(dir)
})
after(async () => {
  await unit.close()
  await removeDirectory(dir)
})

const note = async (index: number): Promise<void> => {
  await unit.gateway.runner.note({ stage: index % 3 === 0 ? 'park' : 'launch', agentGroupID: 'a' as never, detail: { index } }, context)
}
const search = async (query: object) => unit.gateway.controlPlane.audit({ token, limit: 200, ...query }, context)
const closed = async (): Promise<number> => (await readdir(dir)).filter((name) => /^audit\.\d+\.jsonl$/.test(name)).length

/** Every line of the journal's files, as bytes. */
const rawLines = async (): Promise<string[]> => {
  const names = Array.from({ length: await closed() }, (_, index) => `audit.${index + 1}.jsonl`)
  const texts = await Promise.all([...names, 'audit.jsonl'].map((name) => readFile(join(dir, name), 'utf8')))
  return texts.flatMap((text) => text.split('\n').slice(0, -1))
}

test('lines are found in closed files and across their borders, also of a page that was begun before', async () => {
  for (let index = 0; index < 60; index += 1) await note(index)
  const begun = await audit(unit)
  const first = await search({ stage: 'launch', limit: 7 })
  const before = await closed()
  await Promise.all(Array.from({ length: 60 }, (_, index) => note(60 + index)))
  assert.ok(before > 1)
  await waitFor(async () => (await closed()) > before, { what: 'another closed file' })
  const rest = await search({ stage: 'launch', cursor: first.nextCursor })
  assert.deepEqual([...first.items, ...rest.items], naive(begun, { stage: 'launch' }))
  const all = await audit(unit)
  const isRead = ({ seq }: { readonly seq: number }): boolean => all.some((line) => line.seq === seq)
  for (const filter of [{ stage: 'park' }, { stage: 'checkpoint' }, { principal: 'gateway' }, { agentGroupID: 'a', stage: 'launch' }]) {
    // A file that was closed just now may add its checkpoint between the two reads.
    assert.deepEqual((await search(filter)).items.filter(isRead), naive(all, filter).slice(0, 200), JSON.stringify(filter))
  }
  const rows = await unit.store.read.all<{ seq: number }>('SELECT seq FROM lines ORDER BY seq')
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    all.slice(0, rows.length).map(({ seq }) => seq),
  )
  assert.ok(all.length - rows.length < 3, 'but for what the journal has added of its own since the last act')
})

const isSigned = ({ checkpoint, publicKey }: AuditHead): boolean => {
  assert.ok(checkpoint)
  const { seq, hash, epoch, signature } = checkpoint
  return verify(null, Buffer.from(`${seq}:${hash}:${epoch}`), createPublicKey(publicKey), Buffer.from(signature, 'base64'))
}

const head = async (): Promise<AuditHead> => unit.gateway.controlPlane.auditHead({ token }, context)

test('the head is that of the files, and what it says was signed was', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    await note(turn)
    if (turn % 2 === 0) await unit.journal.sign()
    const found = await head()
    const raw = await rawLines()
    assert.equal(found.seq, raw.length)
    assert.equal(found.hash, sha256(raw.at(-1) ?? ''))
    assert.ok(found.checkpoint)
    assert.equal(found.checkpoint.hash, sha256(raw[found.checkpoint.seq - 1] ?? ''))
    assert.ok(isSigned(found))
    assert.ok(!isSigned({ ...found, checkpoint: { ...found.checkpoint, seq: found.checkpoint.seq + 1 } }))
    assert.equal(found.publicKey, await readFile(join(dir, 'journal.pub'), 'utf8'))
    const verdict = await verifyJournal({ path: join(dir, 'audit.jsonl'), publicKeyPath: join(dir, 'journal.pub'), known: [found] })
    assert.equal(verdict.ok, true)
  }
})

test('whoever may read it has the whole journal verified, and all who ask at once get one answer', async () => {
  const ask = () => unit.gateway.controlPlane.auditVerify({ token }, context)
  const [one, other] = await Promise.all([ask(), ask()])
  assert.ok(one.ok)
  assert.equal(one, other)
  assert.equal(one.lines, one.head.seq)
})

test('a head that was kept shows that lines were cut', async () => {
  const kept = await head()
  const cut = { ...kept, seq: kept.seq + 1 }
  const verdict = await verifyJournal({ path: join(dir, 'audit.jsonl'), publicKeyPath: join(dir, 'journal.pub'), known: [cut] })
  assert.equal(verdict.ok, false)
})
