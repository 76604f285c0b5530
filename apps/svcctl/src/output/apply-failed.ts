// An approval that came to nothing.
import { type Change, ServiceError } from '@gatehouse/contracts'

export const applyFailed = ({ id, failure }: Change): ServiceError =>
  new ServiceError('conflict', {
    detail: `the change was approved, but it could not be applied: ${failure?.reason ?? 'no reason was given'}`,
    hint: `svcctl change show ${id}, then svcctl change retry ${id} --by YOU`,
    extra: { changeID: id, state: 'apply_failed' },
  })
