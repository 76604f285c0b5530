// What of the host the node would write to stands behind mounts of its own; they go with it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

/** As the kubelet wants the kernel to be: it finds it so, and the host's own settings stay as they are. */
const kernel: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
}

export const buildWalls = async (directory: string): Promise<void> => {
  for (const path of ['/run', '/var/lib', '/var/log']) await execa('mount', ['--types', 'tmpfs', 'node', path])
  const settings = join(directory, 'kernel')
  await mkdir(settings)
  for (const [name, value] of Object.entries(kernel)) {
    const file = join(settings, name.replaceAll('/', '.'))
    await writeFile(file, `${value}\n`)
    await execa('mount', ['--bind', file, `/proc/sys/${name}`])
  }
}
