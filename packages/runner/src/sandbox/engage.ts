// Chooses the driver, makes its root file system ready, and removes what an earlier boot left.
import { closeOrphans, type Disks, type Driver, prepareDisks } from '@gatehouse/engine'
import type { Metrics } from '@gatehouse/kernel'
import type { SandboxStatusOptions } from './options.ts'
import type { State } from './state.ts'

const showLaunches = (metrics: Metrics, driver: string): void => {
  for (const outcome of ['ok', 'failed']) metrics.touch('sandbox_launches_total', { driver, outcome })
  metrics.touch('sandbox_launch_duration_seconds', { driver })
}

/** An agent without walls writes with the rights of the unit, wherever it likes. */
const disksFor = async (driver: Driver, { groups, groupDisks, log }: SandboxStatusOptions): Promise<Disks> => {
  if (driver.name === 'none') return { refused: 'the driver none has no walls' }
  const disks = await prepareDisks(groups, groupDisks)
  if ('refused' in disks) log.warn('groups have no disks of their own: one can fill the disk of the host', { reason: disks.refused })
  return disks
}

const prepare = async (driver: Driver, { rootfs, image, verifyImage }: SandboxStatusOptions): Promise<string> => {
  if (image === null) return driver.prepare(rootfs)
  // Before anything of it is fetched or unpacked.
  await verifyImage(image)
  return driver.prepareImage(image)
}

/** Strays of an earlier boot are gone before the first launch. */
export const engage = async (options: SandboxStatusOptions): Promise<State> => {
  const { wanted, choose, leftovers, groups, log, metrics } = options
  await closeOrphans(groups)
  // Also where nothing is launched now.
  await leftovers.remove()
  if (wanted === 'off') return { status: 'off' }
  const chosen = await choose(wanted)
  if ('refused' in chosen) return { status: 'refused', reason: chosen.refused }
  const { driver, old } = chosen
  const prepared = await prepare(driver, options)
  let strays = 0
  for (const unitId of leftovers.unitIds) strays += await driver.reconcile(unitId)
  if (strays > 0) log.info('sandboxes of an earlier start removed', { driver: driver.name, strays })
  showLaunches(metrics, driver.name)
  return { status: 'ok', engaged: { driver, old, rootfs: prepared, disks: await disksFor(driver, options) } }
}
