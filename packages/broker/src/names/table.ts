// The names of one session, as its last list gave them: the same table serves `/tools` and `/call`.
import { exposedName, type ToolAddress } from './exposed-name.ts'

export type NameTable = ReadonlyMap<string, ToolAddress>

/** Of two tools under one name the first keeps it: a call is authorized by its address, so that either is safe. */
export const createNameTable = <T extends ToolAddress>(tools: Iterable<T>): ReadonlyMap<string, T> => {
  const table = new Map<string, T>()
  for (const tool of tools) {
    const name = exposedName(tool)
    if (!table.has(name)) table.set(name, tool)
  }
  return table
}
