// What is to be frozen or freed.
import { AgentGroupID, type FreezeBody, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

export const wantedOf = ({ group, reason }: { readonly group?: string | undefined; readonly reason: string }): FreezeBody => {
  if (group === undefined) return { reason }
  const id = v.safeParse(AgentGroupID, group)
  if (id.success) return { reason, agentGroupID: id.output }
  throw new ServiceError('invalid', { detail: `expected the id of a group after --group: ${id.issues[0].message}` })
}
