// Sequence numbers of a group's messages: ascending and without gaps across its conversations. One write per group at a time, so
// no number is visible before the one below it.
import { readFile } from 'node:fs/promises'
import { AgentGroupID, jsonBounds, stateFiles } from '@gatehouse/contracts'
import { ifPresent, createSerialQueue, jsonText, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'

export interface Sequence {
  /** Hands `act` the next number, which is used up only when it says `stored`. */
  next<R extends { readonly stored: boolean }>(group: AgentGroupID, act: (seq: number) => Promise<R>): Promise<R>
}

interface Line {
  /** Unknown before the first use, and after a write that may have happened or not. */
  last: number | undefined
  turn: Promise<unknown>
}

/** `recover` reads the highest number of a group from its files. */
export const createSequence = (recover: (group: AgentGroupID) => Promise<number>): Sequence => {
  const lines = new Map<AgentGroupID, Line>()

  const step = async <R extends { readonly stored: boolean }>(
    group: AgentGroupID,
    line: Line,
    act: (seq: number) => Promise<R>,
  ): Promise<R> => {
    const last = line.last ?? (await recover(group))
    line.last = undefined
    const result = await act(last + 1)
    line.last = result.stored ? last + 1 : last
    return result
  }
  return {
    next(group, act) {
      const line = lines.get(group) ?? { last: undefined, turn: Promise.resolve() }
      lines.set(group, line)
      const result = line.turn.then(() => step(group, line, act))
      line.turn = result.catch(() => undefined)
      return result
    },
  }
}

/** The highest number of each group among the messages that were purged, so that none is given twice. */
const SequenceHighWater = v.record(AgentGroupID, v.pipe(v.number(), v.integer()))
export type SequenceHighWater = ReadonlyMap<AgentGroupID, number>

const pathOf = (stateDir: string): string => `${stateDir}/${stateFiles.queues}/floors.json`

/** Empty where nothing was ever purged. */
export const readHighWater = async (stateDir: string): Promise<SequenceHighWater> => {
  const text = (await ifPresent(readFile(pathOf(stateDir), 'utf8'))) ?? '{}'
  const floors = v.parse(v.pipe(jsonText(jsonBounds.stateFile), SequenceHighWater), text)
  return new Map(Object.entries(floors).map(([group, floor]) => [v.parse(AgentGroupID, group), floor]))
}

const turn = createSerialQueue()

export const storeHighWater = (stateDir: string, group: AgentGroupID, floor: number): Promise<void> =>
  turn(async () => {
    const floors = await readHighWater(stateDir)
    if ((floors.get(group) ?? 0) >= floor) return
    await writeAtomically(pathOf(stateDir), `${JSON.stringify(Object.fromEntries([...floors, [group, floor]]))}\n`)
  })
