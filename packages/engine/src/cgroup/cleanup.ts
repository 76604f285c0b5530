// Removes control groups left by an earlier start of this unit, and moves the runtime out of the group of a sandbox.
import { access, readdir, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Group, groupPath, openGroup } from './group.ts'
import type { Hierarchy } from './hierarchy.ts'

const namesBelow = async (path: string): Promise<string[]> =>
  (await readdir(path, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory()).map(({ name }) => name)

/** Removes the groups of this unit only. Resolves to their number. */
export const removeGroups = async (hierarchy: Hierarchy, unitId: string): Promise<number> => {
  const below = dirname(groupPath(unitId, 'any'))
  const homes = hierarchy.bases.map((base) => join(base, below))
  const names = [...new Set((await Promise.all(homes.map(namesBelow))).flat())]
  for (const name of names) await openGroup(hierarchy, `${below}/${basename(name)}`).remove()
  for (const home of homes) await rmdir(home).catch(() => undefined)
  return names.length
}

/** gVisor enters the group of its sandbox and waits at the end until it is empty. With partly delegated groups it cannot leave again. */
const every = 100

const lives = (pid: number): Promise<boolean> =>
  access(`/proc/${pid}`).then(
    () => true,
    () => false,
  )

/** Moves the runtime out when only it is left in the group, so that limited processes never leave. Resolves then or when it has ended; never rejects. */
export const moveOutOfCgroup = async (group: Pick<Group, 'members' | 'letOut'>, runtime: number): Promise<void> => {
  let hadOthers = false
  while (await lives(runtime)) {
    const members = await group.members()
    const others = members.some((pid) => pid !== runtime)
    if (hadOthers && !others && members.length > 0) return group.letOut(runtime)
    hadOthers ||= others
    await pause(every, undefined, { ref: false })
  }
}
