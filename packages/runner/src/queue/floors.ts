// The highest number of each group among the messages that were purged, so that none is given twice.
import { readFile } from 'node:fs/promises'
import { AgentGroupID, jsonBounds, stateFiles } from '@gatehouse/contracts'
import { inTurn, jsonText, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'

const Floors = v.record(AgentGroupID, v.pipe(v.number(), v.integer()))
export type Floors = ReadonlyMap<AgentGroupID, number>

const pathOf = (stateDir: string): string => `${stateDir}/${stateFiles.queues}/floors.json`

/** Empty where nothing was ever purged. */
export const readFloors = async (stateDir: string): Promise<Floors> => {
  const text = await readFile(pathOf(stateDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const floors = v.parse(v.pipe(jsonText(jsonBounds.stateFile), Floors), text)
  return new Map(Object.entries(floors).map(([group, floor]) => [v.parse(AgentGroupID, group), floor]))
}

const turn = inTurn()

export const keepFloor = (stateDir: string, group: AgentGroupID, floor: number): Promise<void> =>
  turn(async () => {
    const floors = await readFloors(stateDir)
    if ((floors.get(group) ?? 0) >= floor) return
    await writeAtomically(pathOf(stateDir), `${JSON.stringify(Object.fromEntries([...floors, [group, floor]]))}\n`)
  })
