// The freezes that a principal may know of: the unit's concerns everybody.
import type { Freeze, Principal } from '@gatehouse/contracts'
import { sees } from '../principals/scope.ts'
import type { Freezes } from './freezes.ts'

export const listFreezes = (freezes: Freezes, principal: Principal): { items: Freeze[] } => ({
  items: freezes.all().filter(({ agentGroupID }) => agentGroupID === undefined || sees(principal, agentGroupID)),
})
