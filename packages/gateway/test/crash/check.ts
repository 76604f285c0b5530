// What must be true of a state directory after a cut, whatever the moment: what was answered stands, once, and all files agree.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { verifyJournal } from '@gatehouse/journal'
import { read, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit, type Unit } from '../fixtures/unit.ts'
import { unitOptions } from './options.ts'

export type Said = Readonly<Record<string, string>>

const tables = ['changes', 'groups', 'grants', 'wirings', 'tokens', 'freezes', 'idempotency']

const dump = async ({ store }: Unit): Promise<string> =>
  JSON.stringify(await Promise.all(tables.map((table) => store.read.all(`SELECT * FROM ${table} ORDER BY 1, 2`))))

const expectOnce = async (unit: Unit): Promise<void> => {
  const seen = new Set<string>()
  for (const { changeID, stage } of await audit(unit)) {
    if (changeID === undefined) continue
    assert.ok(!seen.has(`${changeID} ${stage}`), `${changeID}: ${stage} twice`)
    seen.add(`${changeID} ${stage}`)
  }
  const isFrozen = (await unit.gateway.controlPlane.freezes({ token }, context)).items.length > 0
  for (const { id, state } of await unit.store.read.all<{ id: string; state: string }>('SELECT id, state FROM changes')) {
    assert.ok(state !== 'approved' || isFrozen, `${id} was approved and is not applied`)
    assert.equal(seen.has(`${id} apply`), state === 'applied', `${id} is ${state}`)
  }
}

const catalogOf = (dir: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(dir, 'mcp-catalog.json'), 'utf8')) as Record<string, unknown>

const expectAnswers = async (unit: Unit, said: readonly Said[]): Promise<void> => {
  const names = async (): Promise<string[]> => (await unit.gateway.controlPlane.tokens({ token }, context)).items.map(({ name }) => name)
  const frozen = async (): Promise<number> => (await unit.gateway.controlPlane.freezes({ token }, context)).items.length
  const later = (fact: string): boolean => said.some((line) => fact in line)
  for (const line of said) {
    if (line['submitted'] !== undefined) assert.ok(await read(unit, line['submitted']))
    if (line['decided'] !== undefined) assert.equal((await read(unit, line['decided'])).state, line['state'])
    if (line['put'] !== undefined) assert.ok(line['put'] in catalogOf(unit.dir), 'the entry is gone')
    if (line['removed'] !== undefined) assert.ok(!(line['removed'] in catalogOf(unit.dir)), 'the entry is back')
    if (line['minted'] !== undefined && !later('revoked') && !later('frozen')) await names()
    if (line['abandoned'] !== undefined) assert.notEqual((await read(unit, line['abandoned'])).state, 'applied')
    if (line['revoked'] !== undefined) assert.ok(!(await names()).includes(line['revoked']), 'the token is back')
    if (line['lifted'] !== undefined) assert.equal(await frozen(), 0)
    if (line['frozen'] !== undefined && said.at(-1) === line && (await audit(unit)).every(({ stage }) => stage !== 'unfreeze')) {
      assert.equal(await frozen(), 1)
    }
  }
  for (const { record } of await unit.store.read.all<{ record: string }>(
    `SELECT record FROM changes WHERE state = 'applied' AND kind = 'mcp_register'`,
  )) {
    assert.ok(
      (JSON.parse(record) as { after: { name: string } }).after.name in catalogOf(unit.dir),
      'a registered server is not in the catalog',
    )
  }
}

/** The journal alone leads to the same registry. */
const expectAgreement = async (unit: Unit, scratch: string): Promise<void> => {
  const before = await dump(unit)
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(unit.dir).filter((name) => name.startsWith('audit.') || name === 'journal.pub')) {
    copyFileSync(join(unit.dir, name), join(scratch, name))
  }
  const rebuilt = await openUnit(unitOptions(scratch))
  const after = await dump(rebuilt)
  await rebuilt.close()
  rmSync(scratch, { recursive: true })
  assert.equal(after, before, 'journal and database disagree')
}

/** Throws for the first thing that is not as it must be. */
export const check = async (dir: string, said: readonly Said[]): Promise<void> => {
  const unit = await openUnit(unitOptions(dir))
  try {
    assert.equal((await unit.gateway.supervisor.health({}, context)).status, 'ready')
    await expectAnswers(unit, said)
    await expectOnce(unit)
    await expectAgreement(unit, `${dir}-again`)
  } finally {
    await unit.close()
  }
  const path = join(dir, 'audit.jsonl')
  if (existsSync(path))
    assert.equal((await verifyJournal({ path, publicKeyPath: join(dir, 'journal.pub') })).ok, true, 'the journal does not verify')
}
