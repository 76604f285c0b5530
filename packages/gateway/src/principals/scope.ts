// What a token that is bound to some groups sees: the rest of the unit is not there for it.
import { type Change, type Kind, type Principal, ServiceError } from '@gatehouse/contracts'
import { wholeUnitOnly } from './role.ts'

export const sees = ({ groups }: Principal, agentGroupID: string | undefined): boolean =>
  groups === undefined || (agentGroupID !== undefined && groups.some((group) => group === agentGroupID))

export const unknownGroup = (): ServiceError =>
  new ServiceError('not-found', {
    detail: 'there is no agent group of this id',
    hint: 'list the groups, or make one by a change of kind agent_create',
  })

/** A group outside is as unknown as one that does not exist. */
export const assertSees = (principal: Principal, agentGroupID: string): void => {
  if (!sees(principal, agentGroupID)) throw unknownGroup()
}

/** Kinds whose effect reaches beyond the group that they are asked for. */
const ofWholeUnit: ReadonlySet<Kind> = new Set(['mcp_register'])

/** The catalog is everybody's: who may act on some groups alone does not write it by an approval either. */
export const assertMayApply = (principal: Principal, { kind }: Pick<Change, 'kind'>): void => {
  if (principal.groups !== undefined && ofWholeUnit.has(kind)) throw wholeUnitOnly(`the approval of ${kind}`)
}
