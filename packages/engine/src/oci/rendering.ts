// Which rendering of the system call filter a runtime lives with, found out by running Node under it.
import { ServiceError } from '@gatehouse/contracts'
import type { Driver, LaunchSpec } from '../driver.ts'
import { renderOci } from '../seccomp/to-oci.ts'
import { tryLaunch } from '../trial.ts'

/** Ends at once, but makes its threads before. */
const trial = ['/bin/node', '-e', '0'] as const

type LaunchUnder = (seccomp: object) => Driver['launch']

/**
 * Node aborts where `clone3` is refused with another error than "not known". A runtime that cannot say so is asked to let
 * it pass: it has no such call itself, and the probe sees to it that no namespace can be made.
 */
export const chooseRendering = async (launchUnder: LaunchUnder, place: Pick<LaunchSpec, 'rootfs' | 'unitId'>): Promise<object> => {
  const faults: string[] = []
  for (const rendering of [renderOci(), renderOci({ passed: ['clone3'] })]) {
    const fault = await tryLaunch(launchUnder(rendering), { ...place, command: trial })
    if (fault === null) return rendering
    faults.push(fault)
  }
  throw new ServiceError('no-sandbox', { detail: `a trial sandbox failed: ${faults.join('; then ')}`, hint: 'see the log of the unit' })
}
