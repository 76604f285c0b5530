// SIGKILL at any moment: nothing that was answered is lost, nothing is applied twice, journal and database agree.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Change } from '@gatehouse/contracts'
import { verifyJournal } from '@gatehouse/journal'
import { seeded } from '@gatehouse/testkit/random'
import { grants, groups, read } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { newDirectory, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const random = seeded()
const rounds = process.env['GATEHOUSE_PROFILE'] === 'full' ? 8 : 4
const program = fileURLToPath(new URL('../fixtures/under-load.ts', import.meta.url))

interface Said {
  readonly ready?: true
  readonly submitted?: string
  readonly decided?: string
  readonly state?: string
}

/** What the program was answered before it was killed, which is after a random number of answers. */
const runAndKill = async (dir: string, round: number): Promise<Said[]> => {
  const child = spawn(process.execPath, [program, dir, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const said: Said[] = []
  const last = 1 + Math.floor(random() * 60)
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(JSON.parse(line) as Said)
    if (said.length === last) child.kill('SIGKILL')
  })
  const [code, signal] = await exited
  assert.deepEqual([code, signal], [null, 'SIGKILL'])
  return said
}

const registry = async (unit: Unit): Promise<string> => {
  const changes = await unit.store.read.all<{ record: string }>('SELECT record FROM changes ORDER BY id')
  return JSON.stringify([await groups(unit), await grants(unit), changes.map((row) => JSON.parse(row.record) as Change)])
}

const expectOnce = async (unit: Unit): Promise<void> => {
  const counts = new Map<string, Record<string, number>>()
  for (const { changeID, stage } of await audit(unit)) {
    if (changeID === undefined) continue
    const count = counts.get(changeID) ?? {}
    counts.set(changeID, { ...count, [stage]: (count[stage] ?? 0) + 1 })
  }
  for (const [id, count] of counts) {
    assert.ok(
      Object.values(count).every((times) => times === 1),
      `${id}: ${JSON.stringify(count)}`,
    )
    const { state } = await read(unit, id)
    assert.equal(state, count['apply'] === 1 ? 'applied' : count['reject'] === 1 ? 'rejected' : 'held', id)
  }
}

test(`${rounds} kills while four people submit and decide`, async () => {
  const dir = await newDirectory()
  const answered: Said[] = []
  for (let round = 0; round < rounds; round += 1) answered.push(...(await runAndKill(dir, round)))
  const unit = await openUnit({ dir })
  assert.ok(answered.length > rounds)
  for (const { submitted, decided, state } of answered) {
    if (submitted !== undefined) assert.ok(await read(unit, submitted))
    if (decided !== undefined) assert.equal((await read(unit, decided)).state, state)
  }
  await expectOnce(unit)
  const before = await registry(unit)
  await unit.close()
  assert.equal((await verifyJournal({ path: `${dir}/audit.jsonl`, publicKeyPath: `${dir}/journal.pub` })).ok, true)

  const again = await newDirectory()
  for (const name of ['audit.jsonl', 'journal.pub']) await copyFile(`${dir}/${name}`, `${again}/${name}`)
  const rebuilt = await openUnit({ dir: again })
  assert.equal(await registry(rebuilt), before)
  await rebuilt.close()
  await removeDirectory(dir)
  await removeDirectory(again)
})
