// The names of one session's tools, as they were last listed: the same table serves `/tools` and `/call`.
import { distinctName, exposedName, type ToolAddress } from '@gatehouse/kernel'

export type NameTable = ReadonlyMap<string, ToolAddress>

const groupByName = <T>(names: ReadonlyMap<T, string>): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const [tool, name] of names) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [tool])
    else group.push(tool)
  }
  return groups
}

/**
 * Two tools that would have one name both get another, so that neither is called in place of the other. A server may declare a tool
 * under a name that one of another server gets by that: then it is moved away too. Those that still have one name have none.
 */
export const createNameTable = <T extends ToolAddress>(tools: Iterable<T>): ReadonlyMap<string, T> => {
  const names = new Map<T, string>()
  for (const tool of tools) names.set(tool, exposedName(tool))
  for (;;) {
    const shared = [...groupByName(names).values()].filter((group) => group.length > 1).flat()
    const moved = shared.filter((tool) => names.get(tool) !== distinctName(tool))
    for (const tool of moved) names.set(tool, distinctName(tool))
    if (moved.length > 0) continue
    for (const tool of shared) names.delete(tool)
    return new Map([...names].map(([tool, name]) => [name, tool]))
  }
}
