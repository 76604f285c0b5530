// Brings a held change up to the world as it is, so that a decision is about what is there.
import type { Change, Digest, Risk } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { hasMoved, judgeAgain, type JudgeDeps } from './judge.ts'
import { type Actor, changeLine } from './lines.ts'

export interface Rebased {
  readonly line: JournalInput
  /** Of what the change is after the line. */
  readonly digest: Digest
}

/** `rebased` is undefined when nothing has moved. The risk is that of now, which can move alone. */
export const rebase = async (
  deps: JudgeDeps,
  actor: Actor,
  change: Change,
): Promise<{ readonly rebased: Rebased | undefined; readonly risk: Risk }> => {
  const { draft } = await judgeAgain(deps, change)
  if (draft === undefined || !hasMoved(change, draft)) return { rebased: undefined, risk: draft?.risk ?? change.risk }
  return { rebased: { line: changeLine('rebased', { actor, change }, { ...draft }), digest: draft.digest }, risk: draft.risk }
}
