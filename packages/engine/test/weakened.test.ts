// A seal with one control removed is refused by the probe, and the escape attempts find the gap.
// Profile: rest. A matrix of walls taken away, each in a sandbox of its own; attempts.test.ts shows that they hold.
import assert from 'node:assert/strict'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type Control, prepareDisks, proveSeal, trialName } from '../src/index.ts'
import { findOci } from '../src/oci/detect.ts'
import { createOci } from '../src/oci/driver.ts'
import { trialDisk } from '../src/preallocated/disk.ts'
import { plant, runAttempts } from './fixtures/attempts.ts'
import { findDriver } from './fixtures/engines.ts'
import { lacking as lacksDisks, makeDisks } from './fixtures/premade.ts'
import { buildSite, furnish, identity, limits } from './fixtures/site.ts'
import { storms } from './fixtures/storms.ts'
import { type Weakening, weakenings } from './fixtures/weakenings.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
/** One of each kind of proof: seen from inside, seen from outside, met by a load. */
const few = ['no filter of system calls', 'host uid 0 outside', 'processes without an end', 'a disk without an end']
const chosen = weakenings.filter(({ name }) => full || few.includes(name))

/** What is met by a load in these is met with a disk that ends. */
const besideDisks: readonly Control[] = ['seccomp', 'process-limit', 'memory-limit']

const site = await buildSite({ attempts: true })
const home = join(site.directory, 'driver')
await mkdir(home, { mode: 0o700 })
const planted = await plant(limits.tmpMiB)
after(async () => {
  await planted.remove()
  await site.remove()
})

const found = await findOci({ runtime: 'runc', home, unitId: `weakened-${process.pid}` })
const install = {
  label: 'oci-runc',
  install: 'apt-get install runc',
  find: async () => ({ refused: 'refused' in found ? found.refused : '' }),
}
/** One that was made beforehand; other tests prove the seal with one that the unit makes. */
const made = lacksDisks === '' ? await makeDisks([trialDisk]) : undefined
after(() => made?.remove())
const disks = made === undefined ? { refused: lacksDisks } : await prepareDisks(made.groups, made.disks)
const disk = 'refused' in disks ? disks : { ...disks, directory: `${made?.groups}/${trialName}` }
const missing = 'refused' in found ? await findDriver(install) : false
const skip = typeof missing === 'string' ? missing : false

/** What the attempts find open behind the driver, storms among them where the wall is one of those. */
const findHoles = async ({ wall, spoil }: Weakening, label: string): Promise<string[]> => {
  if ('refused' in found) throw new Error(found.refused)
  const driver = createOci({ ...found.options, spoil })
  const stay = await furnish(site, driver, label)
  try {
    const storm = storms.find((each) => each.wall === wall)
    if (storm !== undefined) return (await storm.isOpen(driver, stay.spec('none'))) ? [storm.name] : []
    // Another host id could not write there at all, and would leave nothing to be seen.
    if (wall === 'own-host-uid') await chmod(stay.workspace, 0o777)
    const seen = await runAttempts(driver, stay.spec('none'), planted)
    const holes = seen.filter((attempt) => attempt.open !== false && !attempt.wall.startsWith('host-')).map(({ name }) => name)
    return (await stay.madeBy('own')) === 0 ? [...holes, 'a file of root outside'] : holes
  } finally {
    await stay.close()
    await driver.reconcile(stay.unitId)
  }
}

const prove = async ({ spoil }: Weakening) => {
  if ('refused' in found) throw new Error(found.refused)
  const driver = createOci({ ...found.options, spoil })
  const signal = new AbortController().signal
  const rootfs = await driver.prepare(site.rootfs)
  const unitId = `weakened-${process.pid}`
  const proof = await proveSeal({ driver, rootfs, unitId, identity, home, disk, signal })
  await driver.reconcile(unitId)
  return proof
}

describe('a seal with a control removed', { skip, timeout: 900_000 }, () => {
  it('is tried in twenty ways', () => {
    assert.ok(weakenings.length >= 20)
  })

  for (const [index, weakening] of chosen.entries()) {
    it(`is refused by the probe: ${weakening.name}`, async () => {
      const { lacking, faults } = await prove(weakening)
      assert.deepEqual(faults, [])
      if (besideDisks.includes(weakening.wall)) assert.ok(!lacking.includes('disk-limit'), 'a disk that was made beforehand ends too')
      assert.ok(lacking.includes(weakening.wall), `expected ${weakening.wall} among ${lacking.join(', ') || 'nothing'}`)
    })

    it(`is found by an attempt: ${weakening.name}`, async () => {
      assert.notDeepEqual(await findHoles(weakening, `weak-${index}`), [])
    })
  }
})
