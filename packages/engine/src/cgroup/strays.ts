// Groups that an earlier start of this unit left behind, with whatever still runs in them.
import { readdir, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { groupPath, openGroup } from './group.ts'
import type { Hierarchy } from './hierarchy.ts'

const namesBelow = async (path: string): Promise<string[]> =>
  (await readdir(path, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory()).map(({ name }) => name)

/** Never touches the groups of another unit. Returns how many there were. */
export const removeGroups = async (hierarchy: Hierarchy, unitId: string): Promise<number> => {
  const below = dirname(groupPath(unitId, 'any'))
  const homes = hierarchy.bases.map((base) => join(base, below))
  const names = [...new Set((await Promise.all(homes.map(namesBelow))).flat())]
  for (const name of names) await openGroup(hierarchy, `${below}/${basename(name)}`).remove()
  for (const home of homes) await rmdir(home).catch(() => undefined)
  return names.length
}
