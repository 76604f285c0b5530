// What a unit leaves on its host outside of its directories, whichever driver made it: control groups, and containers of engines.
import { type ContainerEngine, ServiceError } from '@gatehouse/contracts'
import { findProgram, hasHostIds } from '@gatehouse/kernel'
import { removeGroups } from './cgroup/cleanup.ts'
import { findHierarchy } from './cgroup/hierarchy.ts'
import { removeOrphans, unitLabel } from './container/arguments.ts'
import { toolsLabel } from './tools/arguments.ts'

const labels = { sandboxes: unitLabel, 'tool-containers': toolsLabel } as const

export type LeftoverKind = keyof typeof labels
export const leftoverKinds = ['sandboxes', 'tool-containers'] as const satisfies readonly LeftoverKind[]

/** With all that runs in them. Gives how many there were. */
export const removeUnitGroups = async (unitId: string): Promise<number> => {
  const hierarchy = await findHierarchy(process.geteuid?.() === 0 && (await hasHostIds()))
  return hierarchy === null ? 0 : removeGroups(hierarchy, unitId)
}

/** Gives how many there were. Throws `no-sandbox` where the engine is missing or does not answer: then nobody can tell. */
export const removeUnitContainers = async (name: ContainerEngine, unitId: string, kind: LeftoverKind): Promise<number> => {
  const file = await findProgram(name)
  if (file === null) throw new ServiceError('no-sandbox', { detail: `${name} not found`, hint: `install ${name} again` })
  return removeOrphans({ name, file, global: [] }, unitId, labels[kind])
}
