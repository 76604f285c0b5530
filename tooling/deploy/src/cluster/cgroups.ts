// Cgroups of the node, in each hierarchy that this host has.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = '/sys/fs/cgroup'

/** A host with the second version alone has one hierarchy. */
const hierarchies = async (): Promise<string[]> => {
  if (existsSync(join(root, 'cgroup.controllers'))) return [root]
  const entries = await readdir(root, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name))
}

/** A new cpuset has no processors, and nothing can be put into it. */
const giveProcessors = async (path: string): Promise<void> => {
  for (const name of ['cpuset.cpus', 'cpuset.mems'])
    if (existsSync(join(path, name))) await writeFile(join(path, name), await readFile(join(path, '..', name), 'utf8'))
}

export const makeCgroups = async (name: string): Promise<void> => {
  for (const hierarchy of await hierarchies()) {
    const path = join(hierarchy, name)
    await mkdir(path)
    if (hierarchy !== root) await giveProcessors(path)
  }
}

const remove = async (path: string): Promise<void> => {
  const entries = await readdir(path, { withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await remove(join(path, entry.name))
  await rmdir(path)
}

export const removeCgroups = async (name: string): Promise<void> => {
  for (const hierarchy of await hierarchies()) if (existsSync(join(hierarchy, name))) await remove(join(hierarchy, name))
}
