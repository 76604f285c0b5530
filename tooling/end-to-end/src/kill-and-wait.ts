// Kills a process of a unit, as the kernel does when memory is short, and waits until another stands in its place.
import type { Unit } from './unit.ts'
import { waitFor } from './wait-for.ts'

export const killAndWait = async (unit: Unit, name: string, patience: number): Promise<void> => {
  const pid = await waitFor(`${name} to run`, patience, () => unit.pidOf(name))
  process.kill(pid, 'SIGKILL')
  await waitFor(`${name} to be back`, patience, async () => {
    const found = (await unit.client.status()).processes.find((process) => process.name === name)
    return found?.state === 'ready' && found.pid !== pid
  })
}
