// The label, the tone and the icon that each state of a change is shown with.
import type { ChangeState } from '@gatehouse/contracts'
import type { IconName } from './icon.tsx'

export const stateLabel: Readonly<Record<ChangeState, string>> = {
  held: 'pending',
  approved: 'approved, not applied yet',
  applied: 'applied',
  rejected: 'rejected',
  refused: 'refused by a rule',
  withdrawn: 'withdrawn',
  expired: 'expired',
  apply_failed: 'apply failed',
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

export const stateIcon: Readonly<Record<ChangeState, IconName>> = {
  held: 'pending',
  approved: 'pending',
  applied: 'good',
  rejected: 'bad',
  refused: 'bad',
  withdrawn: 'ended',
  expired: 'ended',
  apply_failed: 'warning',
}
