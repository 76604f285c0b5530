// Asks for the opposite of an applied change: a change like any other, held for a human.
import { type Change, type ChangeID, ServiceError, type Submitted } from '@gatehouse/contracts'
import { rebind } from '../kinds/index.ts'
import type { Inverse } from '../kinds/kind.ts'
import type { Asker } from './examine.ts'
import { readChange } from './read.ts'
import { submit, type SubmitDeps } from './submit.ts'

export interface Reversal {
  readonly id: ChangeID
  readonly requestedBy?: string | undefined
  readonly reason?: string | undefined
}

const inverseOf = ({ secrets }: SubmitDeps, change: Change): Inverse => {
  const inverse = change.state === 'applied' ? rebind(change, secrets).invert(change.before) : undefined
  if (inverse !== undefined) return inverse
  const reason =
    change.state === 'applied' ? `nothing undoes a change of kind ${change.kind}` : `${change.id} is ${change.state}, not applied`
  throw new ServiceError('conflict', {
    detail: `${change.id} cannot be reverted: ${reason}`,
    hint: 'submit the change that leads to the state you want',
  })
}

export const revert = async (deps: SubmitDeps, asker: Asker, { id, requestedBy, reason }: Reversal): Promise<Submitted> => {
  const change = await readChange(deps, id)
  const { kind, after } = inverseOf(deps, change)
  const submission = { kind, agentGroupID: change.agentGroupID, after, requestedBy, reason: reason ?? `Reverts ${id}` }
  const { replayed: _never, ...submitted } = await submit(deps, asker, { submission, revertOf: id })
  return submitted
}
