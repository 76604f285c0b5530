// Removes what a unit kept, also where it was killed, and left disks of groups mounted or still ends.
import { readFile, rm } from 'node:fs/promises'
import { execa } from 'execa'
import { waitFor } from './wait-for.ts'

const pointsBelow = async (directory: string): Promise<string[]> => {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  const points = lines.map((line) => line.split(' ')[1] ?? '')
  return points.filter((point) => point.startsWith(`${directory}/`)).toReversed()
}

export const removeState = async (stateDir: string): Promise<void> => {
  await waitFor(`${stateDir} to be gone`, 30_000, async () => {
    const points = await pointsBelow(stateDir)
    if (points.length > 0) await execa('umount', ['--lazy', '--', ...points], { reject: false })
    return rm(stateDir, { recursive: true, force: true }).then(
      () => true,
      () => false,
    )
  })
}
