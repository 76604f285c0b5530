// A gateway that ends between the line of an act and the catalog file: the file is healed at the next start, once.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createEnd, noting, settling } from '../fixtures/ending.ts'
import { token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

const file = async ({ dir }: Unit) => JSON.parse(await readFile(join(dir, 'mcp-catalog.json'), 'utf8')) as Record<string, unknown>
const secret = { ...stdio, env: { TOKEN: 'literal-secret-5' } }

const acts: readonly [what: string, act: (unit: Unit) => Promise<unknown>, after: Record<string, unknown>][] = [
  ['a new entry', (unit) => putServer(unit, 'two', secret), { one: stdio, two: secret }],
  ['a replaced entry', (unit) => putServer(unit, 'one', secret), { one: secret }],
  ['a removal', async (unit) => unit.gateway.controlPlane.removeServer({ token, name: server('one') }, context), {}],
]

for (const [what, act, after] of acts) {
  for (const [where, end, nth] of [
    ['between the line and the file', settling, 2],
    ['behind the file', noting, 1],
  ] as const) {
    test(`${what} that ends ${where} is in the file after the next start`, async () => {
      const ending = createEnd()
      const unit = await openUnit({ store: ending.store })
      await putServer(unit, 'one')
      ending.at(end, nth)
      await assert.rejects(act(unit))
      await unit.drop()
      const again = await openUnit({ dir: unit.dir })
      assert.deepEqual(await file(again), after)
      const lines = (await audit(again)).filter(({ stage }) => stage.startsWith('catalog-'))
      assert.equal(lines.length, 2)
      await again.close()
      const third = await openUnit({ dir: unit.dir })
      assert.deepEqual(await file(third), after)
      assert.equal((await audit(third)).filter(({ stage }) => stage === 'catalog-reload').length, 0)
      await third.close()
      await removeDirectory(unit.dir)
    })
  }
}

test('a file that cannot be written leaves the act in the journal, and the next one brings it along', async () => {
  const ending = createEnd()
  const unit = await openUnit({ store: ending.store })
  await putServer(unit, 'one')
  ending.at(settling, 2)
  await assert.rejects(putServer(unit, 'two', secret))
  ending.at('nothing begins so', 1)
  await putServer(unit, 'three')
  assert.deepEqual(await file(unit), { one: stdio, three: stdio, two: secret })
  await unit.close()
  await removeDirectory(unit.dir)
})

test('an act that waits for a file that cannot be used is in it after the reload that can', async () => {
  const ending = createEnd()
  const unit = await openUnit({ store: ending.store })
  await putServer(unit, 'one')
  ending.at(settling, 2)
  await assert.rejects(putServer(unit, 'two', secret))
  await unit.drop()
  const whole = await readFile(join(unit.dir, 'mcp-catalog.json'), 'utf8')
  await writeFile(join(unit.dir, 'mcp-catalog.json'), '{')
  const again = await openUnit({ dir: unit.dir, boot: { restarted: true } })
  await writeFile(join(unit.dir, 'mcp-catalog.json'), whole)
  assert.deepEqual(await again.gateway.controlPlane.reload({ token }, context), { added: [], changed: [], removed: [], grants: [] })
  assert.deepEqual(await file(again), { one: stdio, two: secret })
  await again.close()
  await removeDirectory(unit.dir)
})
