// Two concurrent sandboxes, of one group and of two: neither can see, reach, signal or starve the other.
// Profile: rest. A matrix of engines with two units side by side.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Driver, LaunchSpec, Sandbox } from '../src/index.ts'
import { type Attempt, readAttempts } from './fixtures/attempts.ts'
import { findDriver, rows } from './fixtures/engines.ts'
import { buildSite, furnish, type Stay } from './fixtures/site.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const tried = rows.filter(({ label }) => label !== 'none' && (full || label === 'bubblewrap' || label === 'oci-runc'))
const site = await buildSite({ attempts: true })
const stays: Stay[] = []
after(async () => {
  for (const stay of stays) await stay.forget()
  await site.remove()
})

const started = async (driver: Driver, spec: LaunchSpec): Promise<Sandbox> => {
  const sandbox = await driver.launch(spec)
  const { value } = await sandbox.output[Symbol.asyncIterator]().next()
  assert.equal(value, 'running')
  return sandbox
}

for (const row of tried) {
  const driver = await findDriver(row)
  describe(`beside another by ${row.label}`, { skip: typeof driver === 'string' ? driver : false, timeout: 300_000 }, () => {
    if (typeof driver === 'string') return
    let first: Stay
    let second: Stay
    const marker = `beside-${row.label}-${process.pid}`
    before(async () => {
      first = await furnish(site, driver, `beside-${row.label}`)
      second = await furnish(site, driver, { label: `other-${row.label}`, group: 5 })
      stays.push(first)
    })
    after(async () => {
      await first.close()
      await second.close()
      await driver.reconcile(first.unitId)
    })

    /** One does what `mode` says while the other tries all it can. */
    const attemptsBeside = async (mode: 'victim' | 'starve', stay: Stay): Promise<Attempt[]> => {
      const other = await started(driver, { ...first.spec('none'), command: ['/agent/attempts', mode, `marker=${marker}`] })
      try {
        const group = stay === first ? 'one-group=1' : 'one-group=0'
        const spec = { ...stay.spec('none'), id: 'the-second', command: ['/agent/attempts', 'beside', `marker=${marker}`, group] }
        return await readAttempts(await driver.launch(spec))
      } finally {
        await other.stop()
      }
    }

    for (const [name, stay] of [
      ['one group', () => first],
      ['two groups', () => second],
    ] as const) {
      for (const mode of ['victim', 'starve'] as const) {
        it(`${mode === 'victim' ? 'finds nothing of' : 'is not starved by'} the other: ${name}`, async () => {
          const seen = await attemptsBeside(mode, stay())
          assert.equal(seen.length, 40)
          assert.deepEqual(
            seen.filter(({ wall, open }) => open !== false && !(driver.missing as readonly string[]).includes(wall)),
            [],
          )
        })
      }
    }
  })
}
