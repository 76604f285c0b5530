// Chooses the driver, makes its root file system ready, and removes what an earlier boot left.
import type { Metrics } from '@gatehouse/kernel'
import type { PostureOptions } from './options.ts'
import type { State } from './state.ts'

/** Strays of an earlier boot are gone before the first launch. */
const showLaunches = (metrics: Metrics, driver: string): void => {
  for (const outcome of ['ok', 'failed']) metrics.touch('sandbox_launches_total', { driver, outcome })
  metrics.touch('sandbox_launch_duration_seconds', { driver })
}

export const engage = async ({ wanted, choose, rootfs, image, installation, log, metrics }: PostureOptions): Promise<State> => {
  if (wanted === 'off') return { status: 'off' }
  const chosen = await choose(wanted)
  if ('refused' in chosen) return { status: 'refused', reason: chosen.refused }
  const { driver, old } = chosen
  const engaged = { driver, old, rootfs: image === null ? await driver.prepare(rootfs) : await driver.prepareImage(image) }
  const strays = await driver.reconcile(installation)
  if (strays > 0) log.info('sandboxes of an earlier start removed', { driver: driver.name, strays })
  showLaunches(metrics, driver.name)
  return { status: 'ok', engaged }
}
