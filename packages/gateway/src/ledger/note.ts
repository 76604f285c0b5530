// A line that another process wants in the journal: of its own stages, in its own name, without any effect.
import type { JournalInput } from '@gatehouse/journal'
import type { Ledger } from './ledger.ts'

export interface Note {
  readonly stage: JournalInput['stage']
  readonly agentGroupID?: string | undefined
  readonly detail: Record<string, unknown>
}

/** The edge's contract bounds the stages. */
export const note = async (ledger: Ledger, edge: string, { stage, agentGroupID, detail }: Note): Promise<void> => {
  await ledger.commit([{ stage, edge, principal: edge, agentGroupID, detail }])
}
