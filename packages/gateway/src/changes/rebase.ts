// Brings a held change up to the world as it is, so that a decision is about what is there.
import type { Change, Digest } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { hasMoved, judgeAgain, type JudgeDeps } from './judge.ts'
import { type Actor, changeLine } from './lines.ts'

export interface Rebased {
  readonly line: JournalInput
  /** Of what the change is after the line. */
  readonly digest: Digest
}

/** Undefined when nothing has moved. */
export const rebase = async (deps: JudgeDeps, actor: Actor, change: Change): Promise<Rebased | undefined> => {
  const { draft } = await judgeAgain(deps, change)
  if (draft === undefined || !hasMoved(change, draft)) return undefined
  return { line: changeLine('rebased', { actor, change }, { ...draft }), digest: draft.digest }
}
