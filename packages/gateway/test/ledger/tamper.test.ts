// A journal that is not the one the database has seen: the gateway starts, answers, and decides nothing.
import assert from 'node:assert/strict'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { createGroup, decide, fails, groups, read, submit, token } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'

const prepare = async () => {
  const unit = await openUnit()
  await createGroup(unit, 'a')
  const { id } = await submit(unit, ['persona', 'a', { instructions: 'x' }])
  await unit.close()
  return { dir: unit.dir, id, path: `${unit.dir}/audit.jsonl` }
}

const tampers: readonly [what: string, tamper: (path: string) => Promise<void>][] = [
  [
    'cut by whole lines',
    async (path) => {
      const lines = (await readFile(path, 'utf8')).split('\n')
      await truncate(path, Buffer.byteLength(`${lines.slice(0, 3).join('\n')}\n`))
    },
  ],
  ['cut in the middle of a line', async (path) => truncate(path, Math.floor((await readFile(path)).length / 2))],
  ['emptied', async (path) => truncate(path, 0)],
  ['deleted', (path) => removeDirectory(path)],
  [
    'altered in the last line that the database has seen',
    async (path) => {
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
      assert.match(lines.at(-1) ?? '', /"stage":"checkpoint"/)
      await writeFile(
        path,
        `${lines
          .slice(0, -1)
          .join('\n')
          .replace(/"time":"20(?!.*"time")/s, '"time":"19')}\n`,
      )
    },
  ],
  [
    'cut and grown again by somebody who knows how lines are chained',
    async (path) => {
      const lines = (await readFile(path, 'utf8')).split('\n').slice(0, 2)
      for (let seq = 3; seq < 30; seq += 1) {
        const last = JSON.parse(lines.at(-1) ?? '')
        lines.push(JSON.stringify({ ...last, seq, stage: 'stop', prev: last.hash, hash: sha256(lines.at(-1) ?? '') }))
      }
      await writeFile(path, `${lines.join('\n')}\n`)
    },
  ],
]

for (const [what, tamper] of tampers) {
  test(`a journal that was ${what} ends all deciding, not the reading`, async () => {
    const { dir, id, path } = await prepare()
    await tamper(path)
    const left = await readFile(path, 'utf8').catch(() => '')
    for (let start = 0; start < 2; start += 1) {
      const unit = await openUnit({ dir })
      const error = await fails(decide(unit, [id, 'approve']))
      assert.equal(error.code, 'audit-unwritable')
      assert.match(error.detail, /journal/)
      assert.equal((await fails(submit(unit, ['persona', 'a', { instructions: 'y' }]))).code, 'audit-unwritable')
      assert.equal((await fails(putServer(unit, 'sample'))).code, 'audit-unwritable')
      assert.equal((await read(unit, id)).state, 'held')
      assert.equal((await groups(unit))[0]?.persona, '')
      await unit.gateway.controlPlane.audit({ token, limit: 10 }, context)
      const health = await unit.gateway.supervisor.health({}, context)
      assert.equal(health.status, 'failed')
      assert.match(String(health.facts['journal']), /journal/)
      assert.equal((await unit.gateway.controlPlane.auditVerify({ token }, context)).ok, false)
      await unit.close()
      assert.equal(await readFile(path, 'utf8'), left, 'nothing is added, least of all a signature')
    }
    await removeDirectory(dir)
  })
}

test('a journal line that cannot be understood is not skipped', async () => {
  const { dir, id, path } = await prepare()
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const last = JSON.parse(lines.at(-1) ?? '')
  lines.push(
    JSON.stringify({
      ...last,
      seq: last.seq + 1,
      stage: 'apply',
      changeID: id,
      detail: {},
      prev: last.hash,
      hash: sha256(lines.at(-1) ?? ''),
    }),
  )
  await writeFile(path, `${lines.join('\n')}\n`)
  const unit = await openUnit({ dir })
  assert.match((await fails(decide(unit, [id, 'approve']))).detail, /cannot be applied/)
  const verdict = await unit.gateway.controlPlane.auditVerify({ token }, context)
  assert.deepEqual(
    [verdict.ok, !verdict.ok && verdict.reason],
    [false, String((await unit.gateway.supervisor.health({}, context)).facts['journal'])],
  )
  await unit.close()
  assert.equal(await readFile(path, 'utf8'), `${lines.join('\n')}\n`, 'nothing is added')
  await removeDirectory(dir)
})
