// The names of one session, as its last list gave them: the same table serves `/tools` and `/call`.
import { exposedName, type ToolAddress } from './exposed-name.ts'

export type NameTable = ReadonlyMap<string, ToolAddress>

/** Two tools under one name: the first keeps it. Either is authorized by its address, never by its name. */
export const createNameTable = (addresses: Iterable<ToolAddress>): NameTable => {
  const table = new Map<string, ToolAddress>()
  for (const address of addresses) {
    const name = exposedName(address)
    if (!table.has(name)) table.set(name, { server: address.server, tool: address.tool })
  }
  return table
}
