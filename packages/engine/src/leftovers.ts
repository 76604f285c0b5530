// Removes what a unit left on its host outside of its directories: control groups and containers, of any driver.
import { type ContainerEngine, ServiceError } from '@gatehouse/contracts'
import { findProgram, hasHostIds } from '@gatehouse/kernel'
import { removeGroups } from './cgroup/cleanup.ts'
import { findHierarchy } from './cgroup/hierarchy.ts'
import { removeOrphans, unitLabel } from './container/arguments.ts'
import { toolsLabel } from './tools/arguments.ts'

const labels = { sandboxes: unitLabel, 'tool-containers': toolsLabel } as const

export type LeftoverKind = keyof typeof labels
export const leftoverKinds = ['sandboxes', 'tool-containers'] as const satisfies readonly LeftoverKind[]

/** Removes control groups and ends their processes. Resolves to their number. */
export const removeUnitGroups = async (unitId: string): Promise<number> => {
  const hierarchy = await findHierarchy(process.geteuid?.() === 0 && (await hasHostIds()))
  return hierarchy === null ? 0 : removeGroups(hierarchy, unitId)
}

/** Resolves to the number of removed containers. Rejects with `no-sandbox` where the engine is missing or does not respond. */
export const removeUnitContainers = async (name: ContainerEngine, unitId: string, kind: LeftoverKind): Promise<number> => {
  const file = await findProgram(name)
  if (file === null) throw new ServiceError('no-sandbox', { detail: `${name} not found`, hint: `install ${name} again` })
  return removeOrphans({ name, file, global: [] }, unitId, labels[kind])
}
