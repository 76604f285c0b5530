// A program tries to escape in every way, with each engine of this machine. It succeeds only where the driver reports a missing control.
import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Driver } from '../src/index.ts'
import { type Attempt, plant, type Planted, runAttempts } from './fixtures/attempts.ts'
import { findDriver, rows } from './fixtures/engines.ts'
import { buildSite, furnish, limits, type Stay } from './fixtures/site.ts'
import { storms } from './fixtures/storms.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const whole = ['bubblewrap', 'oci-runc']
const tried = rows.filter(({ label }) => label !== 'none' && (full || whole.includes(label)))

const site = await buildSite({ attempts: true })
const planted = await plant(limits.tmpMiB)
const stays: Stay[] = []
const table = new Map<string, Map<string, string>>()

const tell = (name: string, label: string, said: string): void => {
  const row = table.get(name) ?? new Map<string, string>()
  table.set(name, row.set(label, said))
}

after(async () => {
  for (const stay of stays) await stay.forget()
  await planted.remove()
  await site.remove()
  const labels = tried.map(({ label }) => label)
  console.log([' '.repeat(40), ...labels.map((label) => label.padEnd(14))].join(''))
  for (const [name, row] of table) console.log([name.padEnd(40), ...labels.map((label) => (row.get(label) ?? '-').padEnd(14))].join(''))
})

const knowledge = ['host-name', 'host-kernel', 'host-processes', 'host-paths']
/** A kernel that is shared tells its release, how many processes it has, and where a mount comes from. */
const mayLearn = (driver: Driver): readonly string[] => (driver.kernel === 'gvisor' ? [] : ['host-kernel', 'host-processes', 'host-paths'])

const allowed = (driver: Driver): readonly string[] => [...driver.missing, ...mayLearn(driver)]

const engineArguments = (driver: Driver, given: Planted): Planted => ({
  ...given,
  arguments: [...given.arguments, `site=${basename(site.directory)}`, `kernel-of-its-own=${driver.kernel === 'gvisor' ? 1 : 0}`],
})

for (const row of tried) {
  const driver = await findDriver(row)
  const skip = typeof driver === 'string' ? driver : false
  describe(`an escape from ${row.label}`, { skip, timeout: 300_000 }, () => {
    if (typeof driver === 'string') return
    let stay: Stay
    let seen: Attempt[] = []
    before(async () => {
      stay = await furnish(site, driver, `attempts-${row.label}`)
      stays.push(stay)
      seen = await runAttempts(driver, stay.spec('none'), engineArguments(driver, planted))
    })
    after(async () => {
      await stay.close()
      await driver.reconcile(stay.unitId)
    })

    it('is tried in more than a hundred ways, and none succeeds', () => {
      for (const { name, open } of seen) tell(name, row.label, open === null ? 'not tried' : open ? 'OPEN' : 'held')
      assert.ok(seen.length > 100, `only ${seen.length} attempts`)
      assert.deepEqual(
        seen.filter(({ wall, open }) => open !== false && !allowed(driver).includes(wall)),
        [],
      )
    })

    it('learns about the host only what its kernel exposes to every process', () => {
      const learnt = seen.filter(({ wall, open }) => knowledge.includes(wall) && open !== false).map(({ wall }) => wall)
      assert.deepEqual(
        learnt.filter((wall) => !mayLearn(driver).includes(wall)),
        [],
      )
    })

    for (const storm of storms) {
      if (!full && storm.name === 'take time') continue
      if (storm.wall === 'disk-limit' && !site.hasDisks) continue
      it(`does not succeed by exhaustion: ${storm.name}`, async () => {
        const open = await storm.isOpen(driver, stay.spec('none'))
        tell(storm.name, row.label, open ? 'OPEN' : 'held')
        assert.ok(!open || allowed(driver).includes(storm.wall))
      })
    }
  })
}
