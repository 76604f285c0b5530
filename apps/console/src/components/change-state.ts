// The label and the tone that each state of a change is shown with.
import type { ChangeState } from '@gatehouse/contracts'

export const stateLabel: Readonly<Record<ChangeState, string>> = {
  held: 'waits',
  approved: 'approved, not applied yet',
  applied: 'applied',
  rejected: 'rejected',
  refused: 'refused by a rule',
  withdrawn: 'withdrawn',
  expired: 'expired',
  apply_failed: 'could not be applied',
}

export const stateTone: Readonly<Record<ChangeState, '' | 'good' | 'warn' | 'bad' | 'info'>> = {
  held: 'info',
  approved: 'info',
  applied: 'good',
  rejected: '',
  refused: 'bad',
  withdrawn: '',
  expired: '',
  apply_failed: 'bad',
}
