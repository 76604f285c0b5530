// An approval that came to nothing.
import { type Change, nextStep, ServiceError } from '@gatehouse/contracts'

export const applyFailed = (change: Change): ServiceError =>
  new ServiceError('conflict', {
    detail: `the change was approved, but it could not be applied: ${change.failure?.reason ?? 'no reason was given'}`,
    hint: nextStep(change),
    extra: { changeID: change.id, state: change.state },
  })
