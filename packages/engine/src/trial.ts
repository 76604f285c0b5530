// A trial launch: a driver counts as working only when it ran a trivial program through all of its walls.
import { randomBytes } from 'node:crypto'
import { limits } from '@gatehouse/contracts'
import { defaultLimits, type Driver, type LaunchSpec } from './driver.ts'

/** Null when it ran, else what it said. */
export const tryLaunch = async (
  launch: Driver['launch'],
  given: Pick<LaunchSpec, 'rootfs' | 'command' | 'unitId'>,
): Promise<string | null> => {
  const sandbox = await launch({
    id: `trial-${process.pid}-${randomBytes(4).toString('hex')}`,
    ...given,
    env: {},
    mounts: [],
    limits: defaultLimits,
  })
  const timer = setTimeout(() => void sandbox.stop(), limits.probeTime)
  const lines: string[] = []
  for await (const line of sandbox.output) lines.push(line)
  const exit = await sandbox.exited
  clearTimeout(timer)
  return exit.code === 0 ? null : lines.join(' ').slice(0, 500) || `it ended with ${exit.code ?? exit.signal ?? exit.reason}`
}
