// Loop devices, by which a group's image becomes its disk.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Site, Step } from '../step.ts'

const isThere = ({ dev }: Site): Promise<boolean> =>
  access(join(dev, 'loop-control')).then(
    () => true,
    () => false,
  )

export const loopDevices: Step = {
  name: 'loop-devices',
  async look(site) {
    const control = join(site.dev, 'loop-control')
    return (await isThere(site)) ? { state: 'ready', says: control } : { state: 'lacking', says: `${control} is not there` }
  },
  async make() {
    // Where the kernel has no such module, the table says that it lacks.
    await execa('/sbin/modprobe', ['loop'], { stdin: 'ignore', cwd: '/', reject: false })
  },
  // The module of a kernel is nobody's own.
  remove: async () => undefined,
}
