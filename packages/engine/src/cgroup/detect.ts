// Whether groups with limits can really be made here, found out by making one.
import { randomBytes } from 'node:crypto'
import { hasHostIds } from '@gatehouse/kernel'
import { type Hierarchy, findHierarchy } from './hierarchy.ts'
import { groupPath, openGroup } from './group.ts'

/** Null where they cannot; then no limit of memory, processes and processors bites. */
export const detectGroups = async (unitId: string): Promise<Hierarchy | null> => {
  const hierarchy = await findHierarchy(process.geteuid?.() === 0 && (await hasHostIds()))
  if (hierarchy === null) return null
  const group = openGroup(hierarchy, groupPath(unitId, `trial-${process.pid}-${randomBytes(4).toString('hex')}`))
  try {
    await group.create({ memoryMiB: 64, cpus: 1, pids: 16 })
    return hierarchy
  } catch {
    return null
  } finally {
    await group.remove()
  }
}
