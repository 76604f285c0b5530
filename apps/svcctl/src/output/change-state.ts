// Colours of risks and states.
import type { ChangeState, Risk } from '@gatehouse/contracts'
import type { Style } from './table.ts'

export const riskStyles = { high: ['bold', 'red'], medium: 'yellow', low: 'green' } satisfies Record<Risk, Style>

export const stateStyles = {
  held: 'yellow',
  applied: 'green',
  approved: 'green',
  refused: 'red',
  rejected: 'red',
  withdrawn: 'gray',
  expired: 'gray',
  apply_failed: 'red',
} satisfies Record<ChangeState, Style>
