// A journal that was cut, emptied or exchanged beside its database: no way to verify it calls it whole, and nothing is added to it.
import assert from 'node:assert/strict'
import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verifyBeside } from '@gatehouse/journal/offline'
import { createMetrics, deriveKey, silentLogger } from '@gatehouse/kernel'
import { openStore } from '@gatehouse/store'
import { createGateway, migrations } from '../../src/gateway.ts'
import { token } from '../fixtures/people.ts'
import { bootOf, context, newDirectory, removeDirectory } from '../fixtures/unit.ts'
import { openSmallFiles } from './many-lines.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
/** Cuts at lines and at bytes, of each kind. */
const cuts = full ? 95 : 8

const masterKey = 'a'.repeat(64)
const keyFor = (purpose: string): string => deriveKey(Buffer.from(masterKey, 'hex'), purpose).toString('hex')
const keys = { database: keyFor('database'), journal: keyFor('journal'), secrets: keyFor('secrets') }

const open = async (dir: string) => {
  const boot = bootOf(dir, { keys })
  const store = await openStore({ path: join(dir, 'gateway.db'), key: keys.database, migrations })
  const journal = await openSmallFiles(dir, 4_000, keys.journal)
  const gateway = await createGateway({ boot, store, journal, log: silentLogger, metrics: createMetrics('gateway'), evidenceWait: 0 })
  await gateway.start()
  return {
    gateway,
    journal,
    close: async () => {
      await gateway.stop()
      await journal.close()
      await store.close()
    },
  }
}

const write = async (dir: string, text: string): Promise<void> => {
  await writeFile(join(dir, 'keyring.json'), masterKey, { mode: 0o600 })
  const unit = await open(dir)
  for (let index = 0; index < 60; index += 1)
    await unit.gateway.runner.note({ stage: 'launch', agentGroupID: 'a' as never, detail: { index, text } }, context)
  await unit.close()
}

let [whole, other] = ['', '']
before(async () => {
  ;[whole, other] = [await newDirectory(), await newDirectory()]
  await write(whole, 'ours')
  await write(other, 'theirs')
})
after(() => Promise.all([removeDirectory(whole), removeDirectory(other)]))

const names = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => /^audit(\.\d+)?\.jsonl$/.test(name)).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
const at = (dir: string) => join(dir, 'audit.jsonl')

/** Every file of the journal as bytes. */
const contents = async (dir: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all((await names(dir)).map(async (name): Promise<[string, string]> => [name, await readFile(join(dir, name), 'utf8')])),
  )

type Cut = (dir: string) => Promise<void>

/** Keeps so many lines of all files, and no file behind them. */
const keepLines =
  (count: number): Cut =>
  async (dir) => {
    let left = count
    for (const name of [...(await names(dir)).filter((each) => each !== 'audit.jsonl'), 'audit.jsonl']) {
      const lines = (await readFile(join(dir, name), 'utf8')).split('\n').slice(0, -1)
      const kept = lines.slice(0, Math.max(0, left))
      left -= lines.length
      if (kept.length === 0 && name !== 'audit.jsonl') await rm(join(dir, name))
      else await writeFile(join(dir, name), kept.map((line) => `${line}\n`).join(''), { mode: 0o600 })
    }
  }

const cutBytes =
  (name: string, share: number): Cut =>
  async (dir) => {
    const size = (await readFile(join(dir, name))).length
    await truncate(join(dir, name), Math.min(size - 1, Math.floor(size * share)))
  }

const swap =
  (one: string, two: string): Cut =>
  async (dir) => {
    await rename(join(dir, one), join(dir, 'swapped'))
    await rename(join(dir, two), join(dir, one))
    await rename(join(dir, 'swapped'), join(dir, two))
  }

const exchange =
  (which: readonly string[]): Cut =>
  async (dir) => {
    for (const name of which) await cp(join(other, name), join(dir, name))
  }

const wholeFiles: readonly (readonly [string, Cut])[] = [
  ['emptied', (dir) => truncate(at(dir), 0)],
  ['deleted', (dir) => rm(at(dir))],
  ['emptied with all closed files', keepLines(0)],
  ['left without its last signature', async (dir) => keepLines((await lineCount()) - 1)(dir)],
  ['left without its first closed file', (dir) => rm(join(dir, 'audit.1.jsonl'))],
  ['left without its second closed file', (dir) => rm(join(dir, 'audit.2.jsonl'))],
  ['given closed files in another order', swap('audit.1.jsonl', 'audit.2.jsonl')],
  ['given a closed file for the present one', swap('audit.1.jsonl', 'audit.jsonl')],
  ["exchanged for another unit's present file", exchange(['audit.jsonl'])],
  ["exchanged for all of another unit's files", async (dir) => exchange(await names(other))(dir)],
]

const lineCount = async (): Promise<number> =>
  Object.values(await contents(whole)).reduce((sum, text) => sum + text.split('\n').length - 1, 0)

const places = async (): Promise<(readonly [string, Cut])[]> => {
  const [lines, files] = [await lineCount(), await names(whole)]
  const spread = Array.from({ length: cuts }, (_, index) => (index + 0.5) / cuts)
  return [
    ...wholeFiles,
    ...spread.map((share): [string, Cut] => [
      `cut behind line ${Math.floor(share * (lines - 1))}`,
      keepLines(Math.floor(share * (lines - 1))),
    ]),
    ...spread.map((share, index): [string, Cut] => {
      const name = files[index % files.length] ?? ''
      return [`${name} cut at ${Math.round(share * 100)} % of its bytes`, cutBytes(name, share)]
    }),
  ]
}

const isGreenOffline = async (dir: string): Promise<boolean> =>
  verifyBeside({ path: at(dir) }).then(
    ({ verdict, database }) => verdict.ok && database.status === 'compared',
    () => false,
  )

test('the journal as it was left verifies in every way, and starts', async () => {
  const dir = await newDirectory()
  await cp(whole, dir, { recursive: true })
  assert.ok(await isGreenOffline(dir))
  const unit = await open(dir)
  assert.equal((await unit.gateway.controlPlane.auditVerify({ token }, context)).ok, true)
  await unit.close()
  assert.ok(await isGreenOffline(dir))
  await removeDirectory(dir)
})

test(`a journal that was cut, emptied or exchanged is never called whole, and no line is added to it`, async () => {
  const tried = await places()
  assert.ok(!full || tried.length >= 200, `${tried.length} places`)
  for (const [what, cut] of tried) {
    const dir = await newDirectory()
    await cp(whole, dir, { recursive: true })
    await cut(dir)
    const left = await contents(dir)
    assert.equal(await isGreenOffline(dir), false, `${what}: offline before the start`)
    const unit = await open(dir)
    const verdict = await unit.gateway.controlPlane.auditVerify({ token }, context)
    assert.equal(verdict.ok, false, `${what}: the running unit`)
    assert.equal((await unit.gateway.supervisor.health({}, context)).status, 'failed', what)
    await unit.journal.sign().catch(() => {})
    assert.equal(await isGreenOffline(dir), false, `${what}: offline beside the running unit`)
    await unit.close()
    assert.equal(await isGreenOffline(dir), false, `${what}: offline after the stop`)
    const { 'audit.jsonl': present = '', ...closed } = await contents(dir)
    assert.deepEqual({ ...closed, 'audit.jsonl': present }, { 'audit.jsonl': '', ...left }, `${what}: nothing was added`)
    await removeDirectory(dir)
  }
})
