// What a change that is already decided says to whoever would still decide it: how it ended, by whom and when.
import { type Change, nextStep, ServiceError } from '@gatehouse/contracts'

const outcomes = { approve: 'approved', reject: 'rejected' } as const

interface End {
  readonly how: string
  readonly by: string
  readonly principal: string
  readonly at: string
}

const endOf = (change: Change): End => {
  const decision = change.decisions.at(-1)
  if (change.ended !== undefined) return { how: change.state, ...change.ended }
  if (decision !== undefined) return { how: outcomes[decision.outcome], ...decision }
  return { how: `refused (${change.failure?.rule ?? 'no rule'})`, by: 'the verifier', principal: 'gateway', at: change.createdAt }
}

export const alreadyDecided = (change: Change): ServiceError => {
  const { how, by, principal, at } = endOf(change)
  return new ServiceError('change-already-decided', {
    detail: `${change.id} was ${how} by ${by} (${principal}) at ${at}`,
    hint: nextStep(change),
    extra: { state: change.state, by, principal, at },
  })
}
