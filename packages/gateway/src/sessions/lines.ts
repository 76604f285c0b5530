// What the journal says of sessions that people end, and what such a line does to the database.
import { gatewayControlPlane, SessionID } from '@gatehouse/contracts'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'

const TerminateDetail = v.looseObject({ session: SessionID, reason: v.optional(v.string()) })

export const markClosed = async (tx: Transaction, id: string, at: string): Promise<void> => {
  await tx.run('UPDATE sessions SET closed_at = ? WHERE id = ? AND closed_at IS NULL', [at, id])
}

/** The runner writes lines of this stage too: they say what it did, and close nothing. */
const terminated: Projection = async (tx, entry) => {
  if (entry.edge !== gatewayControlPlane.caller) return
  await markClosed(tx, v.parse(TerminateDetail, entry.detail).session, entry.time)
}

export const sessionProjections: Projections = { terminate: terminated }
