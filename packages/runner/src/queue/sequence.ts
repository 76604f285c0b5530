// The numbers of a group's messages: ascending and without gaps across its conversations, each of which is a file of its own.
// One write a group at a time, so that nobody sees a number before the one below it.
import type { AgentGroupID } from '@gatehouse/contracts'

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
