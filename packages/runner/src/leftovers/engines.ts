// Which container engines may hold something of this unit: written beside its lock, for whoever removes what it leaves.
import type { ContainerEngine } from '@gatehouse/contracts'
import { inTurn, readUnitRecord, writeUnitRecord } from '@gatehouse/kernel'

export interface UsedEngines {
  /** Before the first container is made by it. */
  add(engine: ContainerEngine): Promise<void>
  /** Those of earlier starts among them. */
  list(): Promise<readonly ContainerEngine[]>
}

export const createUsedEngines = (runDir: string): UsedEngines => {
  const turns = inTurn()
  return {
    add: (engine) =>
      turns(async () => {
        const record = await readUnitRecord(runDir)
        if (record === undefined || record.engines.includes(engine)) return
        await writeUnitRecord(runDir, { ...record, engines: [...record.engines, engine] })
      }),
    list: async () => (await readUnitRecord(runDir))?.engines ?? [],
  }
}
