// A change can be stopped until it is applied: while it is held, and also when it was approved and its effect is still to come.
import type { Change, ChangeState } from '@gatehouse/contracts'

const unapplied: ReadonlySet<ChangeState> = new Set(['held', 'approved', 'apply_failed'])

/** Nothing of it is in force. */
export const isUnapplied = ({ state }: Pick<Change, 'state'>): boolean => unapplied.has(state)
