// What can be done about a change now, in words for whoever was refused something about it. True in every state.
import type { Change } from './change.ts'

/** Rules of a failed apply that no later attempt passes. */
const lasting: ReadonlySet<string> = new Set(['stale', 'expires-in-past', 'no-grant', 'not-in-grant', 'grant-covers-all'])

/** Whether applying it again can succeed once the cause of the failure is gone. */
export const isRetryable = ({ state, failure }: Pick<Change, 'state' | 'failure'>): boolean =>
  state === 'apply_failed' && !lasting.has(failure?.rule ?? '')

export const nextStep = (change: Pick<Change, 'id' | 'state' | 'failure'>): string => {
  const { id, state } = change
  switch (state) {
    case 'held':
      return `decide on it: svcctl change approve ${id} --by YOU, or svcctl change reject ${id} --by YOU`
    case 'approved':
      return `it is applied as soon as possible, after a freeze when there is one; to stop it: svcctl change reject ${id} --by YOU`
    case 'apply_failed':
      return isRetryable(change)
        ? `fix the cause, then apply it again: svcctl change retry ${id} --by YOU; or stop it: svcctl change reject ${id} --by YOU`
        : `it can no longer be applied as it was approved: svcctl change reject ${id} --by YOU, then submit a new change`
    case 'applied':
      return 'it is in force: submit the change that leads to the state you want'
    case 'refused':
      return 'submit a new change that meets the rule'
    case 'rejected':
    case 'withdrawn':
    case 'expired':
      return 'submit a new change'
  }
}
